import type { Json, TestApi } from '../../../testing/startTestApi.ts';
import type { World } from '../../support/createWorld.ts';
import { kindAt, recordAt } from './newBody.ts';
import { recordEndpoints } from './observe.ts';
import { type Node, nodeOf, typesOf } from './schemas.ts';

/** Kinds that everybody may see. */
const platformKinds = ['plan', 'detector/schema'];

/** Texts that must have a form of their own. */
const shaped = ['address', 'value', 'uri', 'messengerBUri', 'funcSignature', 'password', 'timeRange', 'zone'];

/**
 * Writes a text that names the tenant and the kind into every member of the world's records that takes any text, so
 * that whatever leaks is seen in the answer.
 */
export async function plantCanaries(api: TestApi, world: World): Promise<void> {
  for (const { method, path, body } of recordEndpoints) {
    const kind = kindAt(path);
    if (method !== 'PUT' || platformKinds.includes(kind)) continue;
    const canary = `canary-${world.tenant.id}-${kind}-`;
    const members = Object.entries(nodeOf(body).properties ?? {}).flatMap(([name, node]) => {
      const value = shaped.includes(name) ? undefined : planted(node, canary);
      return value === undefined ? [] : [[name, value] as const];
    });
    const change: Json = Object.fromEntries(members);
    if (kind === 'trigger') {
      change.triggerType = 'VIEW_FUNCTION';
      change.params = { signature: 'isListed(string)(bool)', params: [canary] };
    }
    if (kind === 'license') {
      change.params = JSON.stringify({ note: canary });
      change.groupScript = JSON.stringify(canary);
      change.scoreScript = JSON.stringify(canary);
    }
    if (kind === 'silence') change.query = `meta.${canary}:1`;
    if (kind === 'route') change.query = `meta.${canary}:1`;
    if (kind === 'inhibition') change.sourceQuery = change.targetQuery = `meta.${canary}:1`;
    if (kind === 'view') change.columns = [`meta.${canary}`];
    if (kind === 'destination') {
      change.value = `https://canary-${world.tenant.id}-destination-.example.com/`;
      change.headers = { [`x-${canary}`]: canary };
      // It is a webhook, and settings take what its kind names alone.
      for (const name of Object.keys(change).filter((name) => /^(messenger[AB]|settings)/.test(name)))
        delete change[name];
    }
    await api.ok('PUT', `${kind}/${recordAt(world, path).id}`, change);
  }
}

function planted(node: Node, canary: string): unknown {
  const [type] = typesOf(node);
  if (node.readOnly || node.enum || (node.format && node.format !== 'name')) return undefined;
  if (type === 'string') return canary;
  if (type === 'object') return node.additionalProperties === true ? { note: canary } : undefined;
  const isTexts = type === 'array' && node.items && typesOf(node.items)[0] === 'string' && !node.items.enum;
  return isTexts ? [canary] : undefined;
}

/** The kinds of the tenant's records that the text gives away. */
export function canariesIn(text: string, tenantId: number): string[] {
  const found = text.matchAll(new RegExp(`canary-${tenantId}-([a-z/]+)-`, 'g'));
  return [...new Set([...found].map((match) => match[1]!))];
}

import { createBoundedMap } from '../../../lib/createBoundedMap.ts';
import { distributedTables } from './distributedTables.ts';

type Query = { text: string; values: readonly unknown[] };

const maxTexts = 1000;
const texts = createBoundedMap<string, { isDistributed: boolean; positions: readonly number[] }>(maxTexts);

const relation = new RegExp(`\\b(?:from|join|into|update)\\s+(?:${distributedTables.join('|')})\\b`, 'i');
const call = /\brun_on_shards?\(\$(\d+)/g;
const condition = /\btenant_id\s*=\s*(?:any\s*\(\s*)?\$(\d+)/gi;
const insertion = /\binsert into \w+ \(tenant_id\b[^)]*\)\s+select\s+\$(\d+)/gi;

/**
 * The tenants that a statement on distributed tables names, and so the workers that it needs: all of them where it names none.
 * Undefined for a statement on other tables.
 */
export function readTenants({ text, values }: Query): readonly number[] | 'all' | undefined {
  let shape = texts.get(text);
  if (!shape) {
    const calls = positionsIn(text, call);
    const isDistributed = calls.length > 0 || relation.test(text);
    const named = [...positionsIn(text, condition), ...positionsIn(text, insertion)];
    shape = { isDistributed, positions: calls.length > 0 ? calls : named };
    texts.set(text, shape);
  }
  if (!shape.isDistributed) return undefined;
  const tenantIds = shape.positions.flatMap((position) => values[position - 1]).filter(isId);
  return tenantIds.length > 0 ? tenantIds : 'all';
}

function positionsIn(text: string, pattern: RegExp): number[] {
  return Array.from(text.matchAll(pattern), ([, position]) => Number(position));
}

function isId(value: unknown): value is number {
  return typeof value === 'number';
}

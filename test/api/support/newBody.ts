import type { Endpoint } from '../../../src/api/http/endpoint.ts';
import { exampleOf } from '../../../src/api/http/exampleOf.ts';
import type { Json, TestApi } from '../../../testing/startTestApi.ts';
import type { World } from '../../support/createWorld.ts';
import { endpoints, recordEndpoints } from './observe.ts';
import { nodeOf } from './schemas.ts';

let count = 0;

/** A body that creates one more record of a kind (`/wallet`) in the world, with every member that can be given. */
export function newBody(path: string, world: World): Json {
  const single = /^(.+)\/batch$/.exec(path)?.[1];
  if (single !== undefined) return { records: [newBody(single, world)] };
  const create = endpoints.find((endpoint) => endpoint.method === 'POST' && endpoint.path === path);
  if (!create?.body) throw new Error(`There is no POST ${path} with a body.`);
  const own = membersOf(path, world, ++count);
  return { ...((create.example ?? exampleOf(create.body)) as Json), ...own };
}

function membersOf(path: string, world: World, n: number): Json {
  const tenantId = world.tenant.id;
  const contractId = world.contract.id;
  const hex = n.toString(16);
  const bound = { tenantDestinationId: world.destination.id };
  const script = { scriptFilter: 'true', scriptParams: { to: 'e.meta.from' } };
  const name = `New ${n}`;
  const members: Record<string, () => Json> = {
    '/organisation': () => ({ name }),
    '/tenant': () => ({ name, organisationId: world.organisation.id }),
    '/user': () => ({ tenantId, email: `new${n}@example.com`, roles: ['tenant-viewer'] }),
    '/apikey': () => ({ tenantId }),
    '/invite': () => ({ tenantId, organisationId: world.organisation.id, email: `new${n}@example.com` }),
    '/plan': () => ({ name }),
    '/subscription': () => ({
      tenantId,
      planId: world.plan.id,
      // Behind the world's own, because active ones of one tenant may not overlap.
      startDate: 5_000_000_000_000 + n * 1000,
      expirationDate: 5_000_000_001_000 + n * 1000,
    }),
    '/project': () => ({ tenantId, name }),
    '/contract': () => ({
      projectId: world.project.id,
      chainUid: 'anvil',
      address: `0x${hex.padStart(40, '0')}`,
    }),
    '/wallet': () => ({
      tenantId,
      chainUid: 'anvil',
      privateKey: `0x${hex.padStart(64, '0')}`,
      approvers: null,
    }),
    '/destination': () => ({ tenantId }),
    '/detector/schema': () => ({ name: `new_${n}` }),
    '/detector': () => ({
      contractId,
      schemaId: world.detectorSchema.id,
      schemaName: world.detectorSchema.name,
      destinations: [bound],
      actions: [{ actionId: world.action.id, ...script }],
    }),
    '/trigger': () => ({
      contractId,
      alerts: [
        {
          severity: 'HIGH',
          name: 'Called',
          message: 'Somebody called.',
          destinations: [bound],
          actions: [{ actionId: world.action.id, ...script }],
        },
      ],
    }),
    '/action': () => ({
      contractId,
      walletId: world.wallet.id,
      destinations: [bound],
      detectors: [{ detectorId: world.detector.id, ...script }],
      triggerAlerts: [{ triggerAlertId: world.trigger.alerts[0].id, ...script }],
    }),
    '/label': () => ({ tenantId, chainUid: 'anvil', address: `0x${hex.padStart(40, '0')}` }),
    '/view': () => ({ tenantId, name, shared: true }),
    '/timeset': () => ({ tenantId, name }),
    '/silence': () => ({
      tenantId,
      from: Date.now(),
      to: Date.now() + 3_600_000,
      timeSetId: world.timeset.id,
    }),
    '/schedule': () => ({
      tenantId,
      name,
      layers: [{ userIds: [world.duty.id], unit: 'WEEKS', every: 1, start: Date.now() }],
      overrides: [],
    }),
    '/escalationchain': () => ({ tenantId, name, steps: [{ userId: world.duty.id, waitMinutes: 5 }] }),
    '/route': () => ({
      tenantId,
      name,
      parentId: world.route.id,
      escalationChainId: null,
      destinationIds: [world.destination.id],
      activeTimeSetId: world.timeset.id,
      muteTimeSetId: world.timeset.id,
    }),
    '/inhibition': () => ({ tenantId, name }),
    '/plannedchange': () => ({
      contractId,
      actors: [],
      from: Date.now(),
      to: Date.now() + 3_600_000,
      expected: [{ kind: 'pause_state', values: { isPaused: 'true' } }],
    }),
    '/license': () => ({ name }),
    '/score/group': () => ({ licenseId: world.license.id, name }),
    '/instance': () => ({
      licenseId: world.license.id,
      organisationId: world.organisation.id,
      projectId: world.project.id,
    }),
    '/instance/meta': () => ({ licenseInstanceId: world.instance.id }),
    '/tokenomics/category': () => ({ contractId }),
    '/tokenomics/schedule': () => ({ categoryId: world.tokenomicsCategory.id }),
  };
  const own = members[path];
  if (!own) throw new Error(`The test does not know how to make a ${path}; tell it here.`);
  return own();
}

/** The example of the documents, or nothing much where nothing is needed. */
export function exampleBody(endpoint: Endpoint): { body?: Json } {
  if (!endpoint.body) return {};
  const isNeeded = recordEndpoints.includes(endpoint) || nodeOf(endpoint.body).required?.length !== 0;
  return { body: isNeeded ? ((endpoint.example ?? exampleOf(endpoint.body)) as Json) : {} };
}

/** The world's own record of the kind that lives at this path: `/score/group/{id}` is `scoreGroup`. */
export function recordAt(world: World, path: string): Json {
  return world[keyAt(path)] ?? unknown;
}

/** Approvals are made by holding another request, so that a world has none. */
const unknown = { id: 987_654 };

/** Reads every record of the world again, since bindings that came later show in what they bind. */
export async function readAgain(api: TestApi, world: World): Promise<void> {
  for (const { method, path } of endpoints) {
    if (method !== 'GET' || !path.endsWith('/{id}') || recordAt(world, path) === unknown) continue;
    world[keyAt(path)] = await api.ok('GET', `${kindAt(path)}/${recordAt(world, path).id}`);
  }
}

function keyAt(path: string): keyof World {
  const key = kindAt(path).replace(/\/(\w)/g, (_, letter: string) => letter.toUpperCase());
  return key as keyof World;
}

/** `/score/group/{id}` and `/score/group/search` are of the kind `score/group`, `/contract/{id}/…` is of `contract`. */
export function kindAt(path: string): string {
  return path.slice(1).replace(/\/(\{id\}.*|search)$/, '');
}

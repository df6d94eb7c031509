import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { verifyRollups } from '../../src/store/alerts/rollups.ts';
import { distribute } from '../../src/store/citus/distribute.ts';
import { findShardGroups } from '../../src/store/citus/findShardGroups.ts';
import { migrate } from '../../src/store/migrate.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { newOwner, token } from './support/watchedWorld.ts';

const missing = await whyNoCitus();
const random = createRandom('lost worker');
const chain = createSimChain({ chainId: 31337, seed: random.seed });
let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let citus: Citus;
let vigil: TestWatch;
let mining: NodeJS.Timeout | undefined;
/** Tenants whose contract every block concerns, by the worker that has their alerts. */
const tenants = new Map<number, number[]>();

beforeAll(async () => {
  if (missing) return;
  workspace = await createWorkspace();
  [citus, simulator] = await Promise.all([startCitus(workspace.folder), startSimulator({ chain })]);
  const { connection } = citus.coordinator;
  await migrate(connection);
  await distribute(connection, () => {});
  vigil = await startTestWatch({ anvil: { urls: [simulator.url], startBlock: 1 } }, undefined, {
    database: { config: connection, drop: async () => {} },
  });
  await vigil.store.query(sql`update plan set detector_rate_limit = 1000000000`);
  const made = [vigil.tenantId];
  await addDetector(vigil.projectId);
  while (made.length < 6 || tenants.size < 2) {
    const { id: tenantId } = await vigil.ok('POST', 'tenant', { name: `Tenant ${made.length}` });
    await addDetector((await vigil.ok('POST', 'project', { tenantId, name: 'Project' })).id);
    made.push(tenantId);
    tenants.clear();
    for (const [id, group] of await findShardGroups(vigil.store, made))
      tenants.set(group, [...(tenants.get(group) ?? []), id]);
  }
  vigil.watch();
  await vigil.informed();
  mining = setInterval(() => chain.extend({ logs: [newOwner(random)] }), 150);
});

afterAll(async () => {
  clearInterval(mining);
  await vigil?.stop();
  await simulator?.stop();
  await workspace?.remove();
});

async function addDetector(projectId: number): Promise<void> {
  const contractId = await vigil.addContract(token, { projectId });
  await vigil.addDetector(contractId, 'ownership_change');
}

const chainState = async (): Promise<Json> => {
  const { data } = await vigil.ok('GET', 'chain');
  return data.find(({ chainUid }: Json) => chainUid === 'anvil');
};
const search = async (tenantId: number) =>
  vigil.call(
    'POST',
    'alert/search',
    { query: 'detectorSchemaName:ownership_change', size: 1000 },
    { token: await vigil.token(tenantId, 'tenant-viewer') },
  );
const blocksOf = async (tenantId: number): Promise<number> => (await search(tenantId)).body.data?.length ?? 0;

it('a worker that is killed stops its own tenants only, and what chains found for them is written in order when it is back', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const [worker] = citus.workers;
  const lost = tenants.get(1) ?? [];
  const kept = tenants.get(2) ?? [];
  await until(async () => (await blocksOf(lost[0]!)) > 3 && (await blocksOf(kept[0]!)) > 3);

  await worker!.kill();
  const { processed } = await chainState();
  for (const tenantId of lost) {
    const answer = await search(tenantId);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  for (const tenantId of kept) {
    const before = await blocksOf(tenantId);
    expect(before).toBeGreaterThan(0);
    await until(async () => (await blocksOf(tenantId)) > before);
  }
  await until(async () => (await chainState()).processed > processed + 10);
  const { unwritten } = await chainState();
  expect(unwritten.findings).toBeGreaterThanOrEqual(10 * lost.length);

  await worker!.start();
  await until(async () => (await search(lost[0]!)).status === 200);
  await until(async () => (await chainState()).processed > processed + 20);
  clearInterval(mining);
  await vigil.reached('anvil', chain.head.number);
  await until(async () => (await chainState()).unwritten === null);

  const numbers = chain.blocks.slice(1).map(({ number }) => number);
  for (const tenantId of [...lost, ...kept]) expect(await writtenBlocks(tenantId)).toEqual(numbers);
  // Neither following the chain nor a tenant's search asks several workers.
  expect(await citus.coordinator.fanOuts()).toEqual([]);
  expect(await verifyRollups(vigil.store)).toEqual([]);
});

/** The blocks whose findings a tenant has, in the order in which they were written. */
async function writtenBlocks(tenantId: number): Promise<number[]> {
  const events = await vigil.store.query<{ uid: string }>(
    sql`select unnest(alert_uids)::text as uid from alert_event where tenant_id = ${tenantId} and type = 'raised'
      order by xid, seq`,
  );
  const alerts = await vigil.store.query<{ uid: string; number: number }>(
    sql`select uid::text, block_number as number from alert where tenant_id = ${tenantId}`,
  );
  const numberOf = new Map(alerts.map(({ uid, number }) => [uid, number]));
  return events.flatMap(({ uid }) => numberOf.get(uid) ?? []);
}

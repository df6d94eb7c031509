import { afterAll, beforeAll, expect, it } from 'vitest';
import { toEgress } from '../../src/lib/egress.ts';
import { type Sql, sql } from '../../src/lib/sql.ts';
import { createNotifier } from '../../src/notify/createNotifier.ts';
import { createRequestSender } from '../../src/notify/createRequestSender.ts';
import { startDeliveryWorker } from '../../src/notify/startDeliveryWorker.ts';
import { createScoreOnAlerts } from '../../src/scoring/scoreOnAlerts.ts';
import { startScorer } from '../../src/scoring/startScorer.ts';
import { createSandbox } from '../../src/scripts/sandbox.ts';
import { onlyRow } from '../../src/store/db/db.ts';
import { listen } from '../../src/store/db/listen.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { createMempool } from '../../testing/simulator/createMempool.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { addGuard, sender } from '../actions/support/addGuard.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';
import { loopback } from '../notify/support/notifyWorld.ts';
import { newOwner, token } from '../watch/support/watchedWorld.ts';

const random = createRandom('owners');
const missing = await whyNoCitus();
const chain = createSimChain({ chainId: 31337 });
const mempool = createMempool(chain, { balances: { [sender]: 10n ** 24n } });
let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let citus: Citus;
let vigil: TestWatch;
const loops: { stop(): Promise<void> }[] = [];
let sink: HttpSink;

beforeAll(async () => {
  if (missing) return;
  workspace = await createWorkspace();
  sink = await startHttpSink();
  [citus, simulator] = await Promise.all([startCitus(workspace.folder), startSimulator({ chain, mempool })]);
  const { connection } = citus.coordinator;
  await migrate(connection);
  await distribute(connection, () => {}, 4);
  const egress = toEgress(loopback());
  vigil = await startTestWatch({ anvil: { urls: [simulator.url], confirmations: 1 } }, undefined, {
    egress,
    database: { config: connection, drop: async () => {} },
    alertHooks: [createScoreOnAlerts({ now: Date.now })],
  });
  const { store, services } = vigil;
  const shared = { store, now: Date.now, onError: (error: unknown) => console.warn(error) };
  const sandbox = createSandbox();
  loops.push(
    vigil.act(),
    startScorer({
      ...shared,
      run: sandbox.run,
      listen: (onNotify) => listen(connection, 'vigil_score', onNotify),
      onScored: () => {},
    }),
    startDeliveryWorker({
      ...shared,
      keyring: services.keyring,
      notifier: createNotifier({
        HTTP: createRequestSender({ egress, now: Date.now, timeLimitMs: 10_000 }),
      }),
      listen: (onNotify) => listen(connection, 'vigil_work', onNotify),
      onDelivered: () => {},
      random: Math.random,
    }),
    { stop: () => sandbox.close() },
  );
});

afterAll(async () => {
  mempool.mineEvery(0);
  for (const loop of loops) await loop.stop();
  await vigil?.stop();
  await simulator?.stop();
  await sink?.close();
  await workspace?.remove();
});

it('delivers, fires, scores and reports what came of it by statements that each ask one worker', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  mempool.mineEvery(200);
  const { store } = vigil;
  const tenants = [await addTenant(1), await addTenant(2), await addTenant(3)];
  const before = (await citus.coordinator.fanOuts()).length;
  for (const { raise } of tenants) await raise(2);
  const count = async (rows: Sql): Promise<number> =>
    onlyRow(await store.query<{ count: number }>(sql`select count(*) as count from ${rows}`)).count;
  await until(async () => (await count(sql`action_intent where state = 'CONFIRMED'`)) === 6);
  // Each call is reported as sent and as mined.
  await until(async () => (await count(sql`delivery where state = 'DELIVERED'`)) >= 18);
  await until(async () => (await count(sql`delivery_queue`)) + (await count(sql`score_work`)) === 0);
  for (const { instanceId } of tenants)
    expect((await vigil.ok('POST', `instance/${instanceId}/score/search`, {})).data.length).toBeGreaterThan(
      1,
    );
  expect(sink.received.length).toBeGreaterThanOrEqual(18);
  // None is allowed: only administrators' searches and housekeeping are about several tenants.
  expect((await citus.coordinator.fanOuts()).slice(before)).toEqual([]);
  // The log has them at all.
  await citus.coordinator.ask('select count(*) from alert');
  expect((await citus.coordinator.fanOuts()).length).toBeGreaterThan(before);
});

it('raises, groups and retracts what several tenants watch on a chain by statements that each ask one worker', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  mempool.mineEvery(0);
  const { store } = vigil;
  // More than there are shards, so that some have several.
  for (let n = 1; n <= 6; n++) {
    const { id: tenantId } = await vigil.ok('POST', 'tenant', { name: `Watcher ${n}` });
    const project = await vigil.ok('POST', 'project', { tenantId, name: 'Watched' });
    const contractId = await vigil.addContract(token, { projectId: project.id });
    await vigil.addDetector(contractId, 'ownership_change');
    await vigil.addDetector(contractId, 'custom_event', {
      signature: 'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
    });
  }
  const before = (await citus.coordinator.fanOuts()).length;
  loops.unshift(vigil.watch());
  await vigil.reached('anvil', chain.head.number);
  const kept = chain.extend([{}])[0]!.number;
  chain.extend([{ logs: [newOwner(random)] }, { logs: [newOwner(random)] }]);
  await vigil.reached('anvil', chain.head.number);
  chain.fork(kept, [{}, { logs: [newOwner(random)] }, {}]);
  await vigil.reached('anvil', chain.head.number);
  const fanOuts = (await citus.coordinator.fanOuts()).slice(before);
  // Two detectors of six tenants: two blocks that were dropped, and one that was not.
  const alerts = await store.query(
    sql`select block_number as number, retracted_at is not null as gone, count(*) as count from alert
      where block_number > ${kept} group by 1, 2 order by 1, 2`,
  );
  expect(alerts).toEqual([
    { number: kept + 1, gone: true, count: 12 },
    { number: kept + 2, gone: false, count: 12 },
    { number: kept + 2, gone: true, count: 12 },
  ]);
  expect(fanOuts).toEqual([]);
});

/** A tenant that is notified of each alert, fires an action at it, and is scored by it. */
async function addTenant(n: number) {
  const organisation = await vigil.ok('POST', 'organisation', { name: `Organisation ${n}` });
  const { id: tenantId } = await vigil.ok('POST', 'tenant', {
    name: `Tenant ${n}`,
    organisationId: organisation.id,
  });
  const { id } = await vigil.ok('POST', 'destination', { tenantId, type: 'HTTP', uri: `${sink.url}/${n}` });
  const destinations = [{ tenantDestinationId: id }];
  const guard = await addGuard(vigil, { tenantId, action: { destinations } });
  await vigil.ok('PUT', `detector/${guard.detectorId}`, { destinations });
  const { projectId } = await vigil.ok('GET', `contract/${guard.contractId}`);
  const license = await vigil.ok('POST', 'license', { name: 'Score', version: String(n), scoreScript: '-1' });
  await vigil.ok('POST', 'score/group', { licenseId: license.id, name: 'all' });
  const instance = await vigil.ok('POST', 'instance', {
    licenseId: license.id,
    organisationId: organisation.id,
    projectId,
    licenseStatus: 'LICENCED',
  });
  await vigil.ok('POST', 'instance/meta', {
    licenseInstanceId: instance.id,
    startedAt: '2009-01-01T00:00:00Z',
  });
  return { instanceId: instance.id, raise: guard.raise };
}

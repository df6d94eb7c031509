import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { raw, sql } from '../../src/lib/sql.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { findShardGroups } from '../../src/store/db/shards/findShardGroups.ts';
import { eidSql } from '../../src/store/search/documents/packedHashes.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { percentile, type Sample, startTraffic, summarize } from './support/tenantTraffic.ts';
import { newOwner, token } from './support/watchedWorld.ts';

const missing = await whyNoCitus();
if (missing) console.warn(`NOT PROVEN on a cluster: ${missing}`);
/** Kills of a random server, with PROVE_ROUNDS=12 in `npm run prove:cluster`. */
const rounds = Number(process.env.PROVE_ROUNDS ?? 2);
const errorLevel = 50;
const random = createRandom('cluster');
const chain = createSimChain({ chainId: 31337, seed: random.seed });
let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let citus: Citus;
let vigil: TestWatch;
let mining: NodeJS.Timeout | undefined;
/** Tenants whose contract every block concerns, by the worker that has their alerts. */
const tenants = new Map<number, number[]>();
/** A detector of each tenant whose findings come over the API. */
const engines = new Map<number, number>();
/** Blocks that concern a single tenant. */
const blocksOfOne = new Map<number, number>();

beforeAll(async () => {
  if (missing) return;
  workspace = await createWorkspace();
  [citus, simulator] = await Promise.all([startCitus(workspace.folder), startSimulator({ chain })]);
  const { connection } = citus.coordinator;
  await migrate(connection);
  await distribute(connection, () => {}, 4);
  vigil = await startTestWatch({ anvil: { urls: [simulator.url], startBlock: 1 } }, undefined, {
    database: { config: connection, drop: async () => {} },
  });
  await vigil.store.query(sql`update plan set detector_rate_limit = 1000000000`);
  while (engines.size < 6 || tenants.size < 2) {
    await addTenant();
    tenants.clear();
    for (const [id, group] of await findShardGroups(vigil.store, engines.keys()))
      tenants.set(group, [...(tenants.get(group) ?? []), id]);
  }
  vigil.watch();
  await vigil.informed();
  mine();
});

afterAll(async () => {
  clearInterval(mining);
  await vigil?.stop();
  await simulator?.stop();
  await workspace?.remove();
});

function mine(): void {
  clearInterval(mining);
  mining = setInterval(() => chain.extend({ logs: [newOwner(random)] }), 150);
}

/** A tenant that is notified of every change of owner and fires an action at it. */
async function addTenant(): Promise<void> {
  const { id: tenantId } = await vigil.ok('POST', 'tenant', { name: `Tenant ${engines.size}` });
  const { id: projectId } = await vigil.ok('POST', 'project', { tenantId, name: 'Project' });
  const contractId = await vigil.addContract(token, { projectId });
  const to = { tenantId, type: 'HTTP', uri: 'https://example.com/hook' };
  const { id: tenantDestinationId } = await vigil.ok('POST', 'destination', to);
  const destinations = [{ tenantDestinationId }];
  const detectorId = await vigil.addDetector(contractId, 'ownership_change', {}, { destinations });
  const { id: walletId } = await vigil.ok('POST', 'wallet', {
    tenantId,
    name: 'Wallet',
    chainUid: 'anvil',
    allowedCalls: null,
  });
  await vigil.ok('POST', 'action', {
    contractId,
    walletId,
    name: 'Pause',
    funcSignature: 'pause()',
    detectors: [{ detectorId, scriptFilter: 'true', scriptParams: {} }],
  });
  const outside = { source: 'EXTERNAL', destinations };
  engines.set(tenantId, await vigil.addDetector(contractId, 'ownership_change', {}, outside));
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

it('a worker that is killed stops its own tenants only, and what chains found for them is written in order when it is back, also to a shard that moves', async ({
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
  // What waits for the group stays in order, although the tenant is of another one from now on.
  await until(() =>
    moveShard(lost[0]!).then(
      () => true,
      () => false,
    ),
  );
  await until(async () => (await search(lost[0]!)).status === 200);
  await until(async () => (await chainState()).processed > processed + 20);
  clearInterval(mining);
  await vigil.reached('anvil', chain.head.number);
  await until(async () => (await chainState()).unwritten === null);

  await expectWholeChain();
  // Neither following the chain nor a tenant's search asks several workers.
  expect(await citus.coordinator.fanOuts()).toEqual([]);
  expect(await verifyRollups(vigil.store)).toEqual([]);
});

it('a cluster stores, notifies and fires once all that was acknowledged and all that the chain has, whatever is killed', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  mine();
  const ledger = new Map<string, number>();
  const stopping = new AbortController();
  const refused = new Set<number>();
  const pushing = Array.from(engines, async ([tenantId, detectorId]) => {
    const token = await vigil.token(tenantId, 'tenant-user');
    for (let n = 0; !stopping.signal.aborted; n++) {
      const alerts = [{ eid: `${tenantId} ${n}`, message: 'Found outside' }];
      const { status, body } = await vigil.call(
        'POST',
        `detector/${detectorId}/alert`,
        { alerts },
        { token },
      );
      if (status < 300) for (const { uid } of body.results) ledger.set(uid, tenantId);
      else refused.add(status);
      await sleep(random.integer(5, 60));
    }
  });
  const nodes = [...citus.workers, citus.coordinator];
  for (let round = 0; round < rounds; round++) {
    const node = rounds <= nodes.length ? nodes.at(-1 - round)! : random.pick(nodes);
    await sleep(random.integer(300, 1500));
    await node.kill();
    await sleep(random.integer(100, 1500));
    await node.start();
    const { number } = chain.head;
    await until(async () => (await chainState().catch(() => undefined))?.processed >= number);
  }
  stopping.abort();
  await Promise.all(pushing);
  clearInterval(mining);
  await vigil.reached('anvil', chain.head.number);
  await until(async () => (await chainState()).unwritten === null);
  console.log(`${rounds} kills, ${ledger.size} findings acknowledged, ${chain.head.number} blocks`);

  await expectWholeChain();
  refused.delete(503);
  // A failure is explained by what the server has logged of it.
  expect([...refused], vigil.log.filter((line) => JSON.parse(line).level >= errorLevel).join('')).toEqual([]);
  const stored = await vigil.store.query<{ uid: string; tenantId: number; eid: string; engine: boolean }>(
    sql`select uid::text, tenant_id as "tenantId", ${eidSql} as eid, block_number is null as engine from alert t`,
  );
  const outside = stored.filter(({ engine }) => engine);
  expect(new Set(outside.map(({ eid }) => eid)).size).toBe(outside.length);
  const uids = new Set(outside.map(({ uid }) => uid));
  expect([...ledger.keys()].filter((uid) => !uids.has(uid))).toEqual([]);
  const notified = await uidsOf('delivery');
  expect(notified).toEqual(stored.map(({ uid }) => uid).sort());
  const fired = await uidsOf('action_intent');
  expect(fired).toEqual(stored.flatMap(({ uid, engine }) => (engine ? [] : [uid])).sort());
  expect(await verifyRollups(vigil.store)).toEqual([]);
  const open = await vigil.store.query(sql`select from pg_prepared_xacts`);
  expect(open).toHaveLength(0);
});

it('a worker that hangs holds no chain, also where a block concerns only tenants of its own', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const [tenantId] = await findTenantsOf(1);
  const { data } = await vigil.ok('POST', 'project/search', { where: `tenantId = ${tenantId}` });
  const address = `0x${'77'.repeat(20)}`;
  await vigil.addDetector(
    await vigil.addContract(address, { projectId: data[0].id }),
    'ownership_change',
    {},
  );
  await vigil.informed();
  const before = (await writtenBlocks(tenantId!)).length;
  const extend = () => {
    chain.extend({ logs: [{ ...newOwner(random), address }] });
    blocksOfOne.set(chain.head.number, tenantId!);
  };
  extend();
  await until(async () => (await writtenBlocks(tenantId!)).length === before + 1);

  const goOn = await citus.workers[0]!.hang();
  try {
    const startedAt = performance.now();
    for (let n = 0; n < 20; n++) {
      extend();
      await until(async () => (await chainState()).processed === chain.head.number);
    }
    console.log(`20 blocks beside a worker that hangs: ${Math.round(performance.now() - startedAt)} ms`);
    for (const other of await findTenantsOf(2)) expect((await search(other)).status).toBe(200);
  } finally {
    goOn();
  }
  await until(async () => (await chainState()).unwritten === null);
  expect((await writtenBlocks(tenantId!)).slice(-21)).toEqual(
    chain.blocks.slice(-21).map(({ number }) => number),
  );
  expect(await verifyRollups(vigil.store)).toEqual([]);
});

it("a worker that hangs refuses its own tenants with the reason, leaves the others' requests as fast as they were, and loses nothing", async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const clients = Number(process.env.PROVE_CLIENTS ?? 1);
  const hangMs = Number(process.env.PROVE_HANG_MS ?? 6000);
  const own = new Set(await findTenantsOf(1));
  mine();
  const traffic = await startTraffic(vigil, engines, clients);
  const { samples } = traffic;
  const kinds = ['search', 'record', 'push'] as const;
  const hasEach = (phase: () => Sample[]) => () =>
    [true, false].every((isOwn) =>
      kinds.every(
        (kind) =>
          phase().filter((each) => each.kind === kind && own.has(each.tenantId) === isOwn).length >= 8,
      ),
    );
  const last = () => samples.filter(({ tenantId }) => own.has(tenantId)).slice(-3 * own.size);
  const describe = async () => {
    const sessions = await citus.coordinator.ask(
      `select state, wait_event, age(clock_timestamp(), xact_start)::text as age, left(query, 100) as query
        from pg_stat_activity where state <> 'idle'`,
    );
    return JSON.stringify([samples.slice(-20), last(), sessions], undefined, 1);
  };
  const startedAt = performance.now();
  // The first ones open connections and plan.
  await sleep(3000);
  const warmAt = performance.now();
  await until(hasEach(() => samples.filter(({ sentAt }) => sentAt > warmAt)));
  await until(() => performance.now() > startedAt + 6000);

  const hungAt = performance.now();
  const goOn = await citus.workers[0]!.hang();
  let resumedAt: number;
  try {
    await until(() => samples.some(({ status, sentAt }) => status === 503 && sentAt > hungAt));
    await until(() => performance.now() > hungAt + hangMs);
    await until(hasEach(() => samples.filter(({ sentAt }) => sentAt > hungAt))).catch(
      async (cause: unknown) => {
        throw new Error(`Too few were answered: ${await describe()}`, { cause });
      },
    );
    // An administrator gets what can be reached, and reads what is missing.
    for (const search of [{}, { query: 'name:ownership_change' }, { query: 'Found outside' }, { from: 20 }]) {
      const part = await vigil.ok('POST', 'alert/search', { size: 100, ...search });
      expect(part.partial).toEqual(['worker 1']);
      expect(part.total).toBeGreaterThan(0);
      expect(part.data.length).toBeGreaterThan(0);
      expect(part.data.filter(({ tenantId }: Json) => own.has(tenantId))).toEqual([]);
    }
    await until(() =>
      vigil.watchLog.some(
        (line) =>
          line.includes('Findings cannot be written to a database worker') && line.includes('"worker":1'),
      ),
    );
  } finally {
    resumedAt = performance.now();
    goOn();
  }
  await until(() => last().every(({ status, sentAt }) => sentAt > resumedAt && status < 300)).catch(
    async (cause: unknown) => {
      throw new Error(`Not served again: ${await describe()}`, { cause });
    },
  );
  expect(await vigil.ok('POST', 'alert/search', {})).not.toHaveProperty('partial');
  const servedAgainMs = performance.now() - resumedAt;
  await until(() => performance.now() > resumedAt + 4000);
  await traffic.stop();
  clearInterval(mining);

  const phases = {
    before: samples.filter(({ sentAt, ms }) => sentAt > warmAt && sentAt + ms < hungAt),
    hang: samples.filter(({ sentAt, ms }) => sentAt + ms >= hungAt && sentAt < resumedAt),
    after: samples.filter(({ sentAt }) => sentAt >= resumedAt + 1000),
  };
  const of = (phase: keyof typeof phases, isOwn: boolean, kind: Sample['kind']) =>
    phases[phase].filter((each) => each.kind === kind && own.has(each.tenantId) === isOwn);
  for (const isOwn of [false, true])
    for (const kind of kinds)
      for (const phase of ['before', 'hang', 'after'] as const)
        console.log(`${isOwn ? 'its own' : 'others'} ${kind} ${phase}: ${summarize(of(phase, isOwn, kind))}`);
  const noticedMs =
    Math.min(
      ...samples.flatMap(({ status, sentAt, ms }) =>
        status === 503 && sentAt + ms > hungAt ? sentAt + ms : [],
      ),
    ) - hungAt;
  console.log(
    `Noticed after ${Math.round(noticedMs)} ms, all served again after ${Math.round(servedAgainMs)} ms.`,
  );

  const refused = phases.hang.filter(({ status }) => status >= 300);
  const isOthers = ({ tenantId }: Sample) => !own.has(tenantId);
  // What is refused of others says why.
  expect(refused.filter(isOthers), vigil.log.filter((line) => line.includes('answer')).join('')).toEqual([]);
  for (const kind of kinds) {
    const others = of('hang', false, kind);
    // With margins for a busy machine; before this they were 20 times as long.
    expect(percentile(others, 0.95)).toBeLessThan(4 * percentile(of('before', false, kind), 0.95) + 500);
    expect(percentile(others, 1)).toBeLessThan(6000);
  }
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, detail, retryAfter } of refused) {
    expect({ status, detail }).toEqual({
      status: 503,
      detail: expect.stringMatching(/^The database worker \d+, .* does not answer/),
    });
    expect(retryAfter).toBeGreaterThan(0);
  }
  // Records are on the coordinator.
  expect(new Set(of('hang', true, 'record').map(({ status }) => status))).toEqual(new Set([200]));
  expect(percentile(of('hang', true, 'search'), 1)).toBeLessThan(6000);
  // A push whose commit had begun ends with the hang.
  expect(percentile(of('hang', true, 'push'), 0.95)).toBeLessThan(2000);
  expect(phases.after.filter(({ status }) => status >= 300)).toEqual([]);

  await vigil.reached('anvil', chain.head.number);
  await until(async () => (await chainState()).unwritten === null);
  await expectWholeChain();
  const stored = await vigil.store.query<{ eid: string }>(
    sql`select ${eidSql} as eid from alert t where block_number is null`,
  );
  const eids = stored.map(({ eid }) => eid);
  expect(new Set(eids).size).toBe(eids.length);
  const known = new Set(eids);
  expect([...traffic.acknowledged.keys()].filter((eid) => !known.has(eid))).toEqual([]);
  expect(await verifyRollups(vigil.store)).toEqual([]);
  expect(await citus.coordinator.ask('select from pg_prepared_xacts')).toEqual([]);
});

async function findTenantsOf(group: number): Promise<number[]> {
  const groups = await findShardGroups(vigil.store, engines.keys());
  return [...groups].flatMap(([tenantId, own]) => (own === group ? [tenantId] : []));
}

async function uidsOf(table: 'delivery' | 'action_intent'): Promise<string[]> {
  const rows = await vigil.store.query<{ uid: string }>(
    sql`select alert_uid::text as uid from ${raw(table)} where alert_uid is not null`,
  );
  return rows.map(({ uid }) => uid).sort();
}

/** Each tenant has the findings of each block once, written in the order of the blocks. */
async function expectWholeChain(): Promise<void> {
  const numbers = chain.blocks.slice(1).map(({ number }) => number);
  for (const tenantId of engines.keys())
    expect(await writtenBlocks(tenantId)).toEqual(
      numbers.filter((number) => (blocksOfOne.get(number) ?? tenantId) === tenantId),
    );
}

/** The blocks whose findings a tenant has, in the order in which they were written. */
async function writtenBlocks(tenantId: number): Promise<number[]> {
  const events = await vigil.store.query<{ uid: string }>(
    sql`select unnest(alert_uids)::text as uid from alert_event where tenant_id = ${tenantId} and type = 'raised'
      order by xid, seq`,
  );
  const alerts = await vigil.store.query<{ uid: string; number: number }>(
    sql`select uid::text, block_number as number from alert where tenant_id = ${tenantId}
      and block_number is not null`,
  );
  const numberOf = new Map(alerts.map(({ uid, number }) => [uid, number]));
  return events.flatMap(({ uid }) => numberOf.get(uid) ?? []);
}

/** Moves the shard of a tenant to the other worker. */
async function moveShard(tenantId: number): Promise<void> {
  const [shard] = await citus.coordinator.ask(
    `select s.shardid as id, p.nodename as "from", (select n.nodename from pg_dist_node n
        where n.groupid <> 0 and n.nodename <> p.nodename) as "to"
      from pg_dist_shard_placement p join pg_dist_shard s using (shardid)
      where s.shardid = get_shard_id_for_distribution_column('alert', ${tenantId})`,
  );
  const [id, from, to] = [shard!.id, shard!.from, shard!.to].map(String);
  await citus.coordinator.ask(
    `select citus_move_shard_placement(${id}, '${from}', 5432, '${to}', 5432, shard_transfer_mode => 'block_writes')`,
  );
}

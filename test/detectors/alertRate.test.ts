import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { sql } from '../../src/lib/sql.ts';
import { countLane } from '../../src/rates/countLane.ts';
import { startRateCounter } from '../../src/rates/startRateCounter.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { claimRateLanes, openRateLanes } from '../../src/store/alerts/rateLanes.ts';
import type { Store } from '../../src/store/db/db.ts';
import { listen } from '../../src/store/db/listen.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { createMortalStore, Killed } from '../watch/support/mortalStore.ts';

let api: TestApi;
let schemaId: number;
beforeAll(async () => {
  api = await startTestApi();
  await publishDetectors(api.store, Date.now());
  await api.ok('POST', 'detector/schema', { title: 'Engine', name: 'engine', version: '1.0.0' });
  schemaId = (await api.ok('POST', 'detector/schema/search', { where: "name = 'alert_rate'" })).data[0].id;
});
afterAll(() => api.stop());

const minute = 60_000;
let tenants = 0;
let eids = 0;

type Watched = {
  tenantId: number;
  projectId: number;
  contractId: number;
  /** Alerts are pushed into it. */
  detectorId: number;
  /** A detector that counts. */
  count(config: Json, members?: Json): Promise<number>;
  push(...alerts: Json[]): Promise<void>;
  rates(detectorId: number): Promise<Json[]>;
};

/** A tenant of its own, whose alerts are pushed. */
async function watch(): Promise<Watched> {
  const tenant = await api.ok('POST', 'tenant', { name: `Vaults ${++tenants}` });
  const project = await api.ok('POST', 'project', { tenantId: tenant.id, name: 'Vault' });
  const source = await addEngine(project.id, `0x${'d'.repeat(40)}`);
  return {
    tenantId: tenant.id,
    projectId: project.id,
    ...source,
    count: async (config, members) =>
      (
        await api.ok('POST', 'detector', {
          contractId: source.contractId,
          schemaId,
          name: 'Many alerts',
          config,
          ...members,
        })
      ).id,
    push: (...alerts) => push(source.detectorId, alerts),
    rates: (detectorId) => ratesOf(source.contractId, detectorId),
  };
}

/** A contract with a detector that alerts are pushed into. */
async function addEngine(projectId: number, address: string) {
  const contract = await api.ok('POST', 'contract', {
    projectId,
    name: 'Pool',
    chainUid: 'ethereum',
    address,
  });
  const members = { contractId: contract.id, schemaName: 'engine', name: 'Engine', source: 'EXTERNAL' };
  const detector = await api.ok('POST', 'detector', members);
  return { contractId: contract.id as number, detectorId: detector.id as number };
}

async function push(detectorId: number, alerts: readonly Json[]): Promise<void> {
  const whole = alerts.map((alert) => ({ eid: `finding ${++eids}`, message: 'Found.', ...alert }));
  await api.ok('POST', `detector/${detectorId}/alert`, { alerts: whole });
}

async function ratesOf(contractId: number, detectorId: number, query = ''): Promise<Json[]> {
  const found = await api.ok('POST', `alert/search`, {
    query: `contractId:${contractId} AND detectorId:${detectorId}${query}`,
    size: 1000,
    sort: [{ field: 'timestamp' }],
  });
  return found.data;
}

/** Counts as one process does until nothing is left. */
async function countAll(store: Store = api.store): Promise<void> {
  await openRateLanes(api.store, 'alert_rate');
  for (;;) {
    const lanes = await claimRateLanes(store, 4);
    if (lanes.length === 0) return;
    for (const lane of lanes)
      await countLane({ store, alertHooks: [], retractionHooks: [], now: Date.now, onFault: fail }, lane);
  }
}

function fail(fault: unknown): never {
  throw new Error(JSON.stringify(fault));
}

describe('alert_rate', () => {
  it('raises one alert when the limit is reached, and another only after fewer were in the time again', async () => {
    const { count, push: send, rates } = await watch();
    const id = await count({ query: 'severity:HIGH', atLeast: 3, within: '5 min' });
    const start = Date.now() - 50 * minute;
    const at = (...minutes: number[]) =>
      minutes.map((each) => ({ timestamp: start + each * minute, severity: 'HIGH' }));
    await send(...at(0, 1), { timestamp: start + 2 * minute, severity: 'LOW' });
    await countAll();
    expect(await rates(id)).toEqual([]);
    await send(...at(2));
    await countAll();
    const [alert, ...more] = await rates(id);
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      timestamp: start + 2 * minute,
      severity: 'HIGH',
      detectorSchemaName: 'alert_rate',
      message: '3 alerts that match the query happened within 5 min; the limit is 3.',
      meta: { count: 3, atLeast: 3, scope: 'CONTRACT', firstAt: start, lastAt: start + 2 * minute },
    });
    expect(alert!.meta.alerts).toHaveLength(3);
    // Never fewer than three within five minutes.
    await send(...at(3, 4, 5, 6, 7, 8, 9));
    await countAll();
    expect(await rates(id)).toHaveLength(1);
    await send(...at(20, 21, 22));
    await countAll();
    expect((await rates(id)).map(({ timestamp }) => timestamp)).toEqual([
      start + 2 * minute,
      start + 22 * minute,
    ]);
  });

  it('counts each value of a member by itself, and different values of another: one sender on three contracts', async () => {
    const watched = await watch();
    const { projectId, rates } = watched;
    const sources = [watched.detectorId];
    for (const digit of ['1', '2'])
      sources.push((await addEngine(projectId, `0x${digit.repeat(40)}`)).detectorId);
    const settings = { within: '10 min', atLeast: 3, groupBy: 'meta.from', countDistinct: 'contractId' };
    const id = await watched.count({ ...settings, scope: 'PROJECT' });
    const ofOne = await watched.count({ ...settings, scope: 'CONTRACT' });
    const ofTenant = await watched.count({ ...settings, scope: 'TENANT', atLeast: 2 });
    const [one, other] = [`0x${'aB'.repeat(20)}`, `0x${'cd'.repeat(20)}`];
    const now = Date.now();
    await push(sources[0]!, [
      { timestamp: now - 3000, meta: { from: one } },
      { timestamp: now - 2900, meta: { from: one } },
      { timestamp: now - 2800, meta: { from: other } },
      { timestamp: now - 2700, meta: {} },
    ]);
    await push(sources[1]!, [{ timestamp: now - 2000, meta: { from: one.toLowerCase() } }]);
    await push(sources[2]!, [{ timestamp: now - 1000, meta: { from: other } }]);
    await countAll();
    expect(await rates(id)).toEqual([]);
    await push(sources[2]!, [{ timestamp: now - 500, meta: { from: one } }]);
    await countAll();
    const found = await rates(id);
    expect(found).toHaveLength(1);
    expect(found[0]!.meta).toMatchObject({
      count: 3,
      group: one.toLowerCase(),
      groupBy: 'meta.from',
      countDistinct: 'contractId',
    });
    expect(found[0]!.meta.values).toHaveLength(3);
    expect(await rates(ofOne)).toEqual([]);
    expect(new Set((await rates(ofTenant)).map(({ meta }) => meta.group))).toEqual(
      new Set([one.toLowerCase(), other]),
    );
  });

  it('never counts alerts of its kind, nor those of other tenants, nor those from before it existed', async () => {
    const [watched, stranger] = [await watch(), await watch()];
    await watched.push({}, {}, {});
    const own = await watched.count({ atLeast: 2, within: '1 h', scope: 'TENANT' });
    const mutual = await watched.count({ atLeast: 2, within: '1 h', scope: 'TENANT' });
    await stranger.push({}, {}, {});
    await countAll();
    expect(await watched.rates(own)).toEqual([]);
    await watched.push({}, {}, {});
    for (let round = 0; round < 3; round++) await countAll();
    expect(await watched.rates(own)).toHaveLength(1);
    expect(await watched.rates(mutual)).toHaveLength(1);
    expect((await watched.rates(own))[0]!.meta.count).toBe(3);
  });

  it('counts late alerts by their time, and reports what they join or lengthen no second time', async () => {
    const { count, push: send, rates } = await watch();
    const id = await count({ atLeast: 3, within: '5 min' });
    const start = Date.now() - 50 * minute;
    const at = (...minutes: number[]) => minutes.map((each) => ({ timestamp: start + each * minute }));
    await send(...at(0, 1, 2));
    await send(...at(10, 11, 12));
    await countAll();
    expect(await rates(id)).toHaveLength(2);
    // Joins both, and begins earlier.
    await send(...at(-1, 5, 6, 7, 8));
    await countAll();
    expect(await rates(id)).toHaveLength(2);
    await send(...at(30, 34));
    await countAll();
    expect(await rates(id)).toHaveLength(2);
    await send(...at(32));
    await countAll();
    expect((await rates(id)).map(({ timestamp }) => timestamp - start)).toEqual(
      [2, 12, 34].map((each) => each * minute),
    );
  });

  it('takes its alert back when alerts that made it are retracted, and raises it again when they return', async () => {
    const { count, push: send, rates, contractId } = await watch();
    const id = await count({ atLeast: 3, within: '5 min' });
    const start = Date.now() - 5 * minute;
    const block = { number: 7, hash: `0x${'7'.repeat(64)}` };
    await send(
      { timestamp: start },
      { timestamp: start + 1 },
      { timestamp: start + 2, blockNumber: block.number, blockHash: block.hash },
    );
    await countAll();
    expect(await rates(id)).toHaveLength(1);
    await api.store.transaction((tx) =>
      retractBlocks(tx, { chainUid: 'ethereum', blocks: [block], now: Date.now() }),
    );
    await countAll();
    expect(await rates(id)).toEqual([]);
    expect(await ratesOf(contractId, id, ' AND status:RETRACTED')).toMatchObject([
      { retractionReason: 'REORGANISED' },
    ]);
    await send({ timestamp: start + 3 });
    await countAll();
    expect(await rates(id)).toMatchObject([{ timestamp: start + 3, meta: { count: 3 } }]);
  });

  it('holds back crossings within the cooldown, and goes on while it is disabled without counting', async () => {
    const { count, push: send, rates } = await watch();
    const id = await count({ atLeast: 2, within: '1 min', cooldown: '30 min' });
    const start = Date.now() - 55 * minute;
    const pairs = (...minutes: number[]) =>
      minutes.flatMap((each) => [0, 1].map((ms) => ({ timestamp: start + each * minute + ms })));
    await send(...pairs(0, 10, 20));
    await countAll();
    await send(...pairs(40));
    await countAll();
    expect((await rates(id)).map(({ timestamp }) => timestamp - start)).toEqual([1, 40 * minute + 1]);
    await api.ok('PUT', `detector/${id}`, { status: 'DISABLED' });
    await send(...pairs(50));
    await countAll();
    await api.ok('PUT', `detector/${id}`, { status: 'ACTIVE', config: { atLeast: 2, within: '2 min' } });
    await send({ timestamp: start + 50 * minute });
    await countAll();
    expect(await rates(id)).toHaveLength(2);
  });

  it.each([
    [{ atLeast: 3, within: '5 min', query: 'severity:(HIGH' }, '/config/query'],
    [{ atLeast: 3, within: '8 days' }, '/config/within'],
    [{ atLeast: 1, within: '1 min' }, '/config/atLeast'],
    [{ atLeast: 3, within: '1 min', groupBy: 'contractID' }, '/config/groupBy'],
    [{ atLeast: 3, within: '1 min', countDistinct: 'meta' }, '/config/countDistinct'],
  ])('refuses %j, naming the member', async (config, pointer) => {
    const { contractId } = await watch();
    const answer = await api.call('POST', 'detector', { contractId, schemaId, name: 'Many', config });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
    if (pointer === '/config/groupBy') expect(answer.body.errors[0].message).toContain('contractId');
  });
});

/** The crossings of all alerts together, by definition: the window that ends at each of them, and just before it. */
function expectedCrossings(times: readonly number[], atLeast: number, windowMs: number): number[] {
  const within = (from: number, to: (time: number) => boolean) =>
    times.filter((time) => time > from && to(time)).length;
  return [...new Set(times)]
    .sort((one, other) => one - other)
    .filter((at) => {
      const after = within(at - windowMs, (time) => time <= at);
      // A moment before, what is exactly as old as the window still counted.
      const before = within(at - windowMs - 1, (time) => time < at);
      return after >= atLeast && before < atLeast;
    });
}

describe('counted by processes that die at any moment and by several at once, alert_rate', () => {
  it.each([
    ['in their order', 'exactly the crossings that all alerts together have'],
    ['in any order', 'each crossing that all alerts together have, and nothing else'],
  ])('reports of alerts that come %s %s', async (order) => {
    const isOrdered = order === 'in their order';
    const random = createRandom(`alert rate ${order}`);
    const windowMs = 10_000;
    const watched = await watch();
    const ids = await Promise.all(
      [2, 3, 5].map(async (atLeast) => ({ atLeast, id: await watched.count({ atLeast, within: '10 s' }) })),
    );
    const start = Date.now() - 50 * minute;
    const times: number[] = [];
    for (let at = start; times.length < 150; ) {
      if (!random.chance(0.2)) at += random.integer(0, 2) * random.integer(500, 6000);
      times.push(at);
    }
    if (!isOrdered) times.sort(() => random.random() - 0.5);
    for (let sent = 0; sent < times.length; ) {
      const size = random.integer(1, 25);
      await watched.push(...times.slice(sent, sent + size).map((timestamp) => ({ timestamp })));
      sent += size;
      let passed = 0;
      const last = random.integer(1, 40);
      await countAll(createMortalStore(api.store, () => ++passed > last)).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      // The time of its lease passes.
      await api.store.query(sql`update alert_rate_lane set lease_until = now() - interval '1 s'`);
    }
    await countAll();
    for (const { id, atLeast } of ids) {
      const reported = (await watched.rates(id)).map(({ timestamp }): number => timestamp);
      const expected = expectedCrossings(times, atLeast, windowMs);
      if (isOrdered) expect(reported).toEqual(expected);
      for (const at of reported)
        expect(times.filter((time) => time > at - windowMs && time <= at).length).toBeGreaterThanOrEqual(
          atLeast,
        );
      expect(
        expected.filter((from, index) => {
          const next = expected[index + 1] ?? Number.POSITIVE_INFINITY;
          return !reported.some((at) => at >= from && at < next);
        }),
      ).toEqual([]);
    }
  });

  it('raises one alert where several processes count beside each other', async () => {
    const watched = await watch();
    const id = await watched.count({ atLeast: 20, within: '5 min' });
    const errors: unknown[] = [];
    const counters = [1, 2, 3].map(() =>
      startRateCounter({
        store: api.store,
        alertHooks: [],
        retractionHooks: [],
        now: Date.now,
        listen: (onNotify) => listen(api.connection, 'vigil_alert', onNotify),
        onRaised: () => {},
        onFault: (fault) => errors.push(fault),
        onError: (error) => errors.push(error),
      }),
    );
    await Promise.all(Array.from({ length: 30 }, () => watched.push({}, {})));
    await until(async () => (await watched.rates(id)).length > 0);
    await watched.push({});
    await Promise.all(counters.map((counter) => counter.stop()));
    await countAll();
    expect(await watched.rates(id)).toHaveLength(1);
    expect(errors).toEqual([]);
  });
});

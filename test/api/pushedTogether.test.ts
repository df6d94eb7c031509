import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { raw, sql } from '../../src/lib/sql.ts';
import { foldSamples } from '../../src/store/telemetry/addSamples.ts';
import { addSource } from '../../testing/addSource.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;
let tenantId: number;
let detectorId: number;
let projectId: number;
beforeAll(async () => {
  api = await startTestApi();
  ({ id: tenantId } = (await api.ok('POST', 'tenant', { name: 'Together' })) as { id: number });
  ({ detectorId, projectId } = await addSource(api, tenantId));
});
afterAll(() => api.stop());

const push = (...eids: string[]) =>
  api.call('POST', `detector/${detectorId}/alert`, {
    alerts: eids.map((eid) => ({ eid, message: 'Found.' })),
  });
const countStored = async () => {
  const [row] = await api.store.query<{ alerts: number; findings: number; counted: number }>(
    sql`select (select count(*) from alert where tenant_id = ${tenantId}) as alerts,
      (select count(*) from external_finding where tenant_id = ${tenantId}) as findings,
      (select coalesce(max(count), 0) from pushed_alerts where tenant_id = ${tenantId}) as counted`,
  );
  return row;
};

it('every finding is created once when many push at once', async () => {
  const eids = Array.from({ length: 20 }, (_, n) => `same-${n}`);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, lane) => push(...(lane % 2 ? eids : eids.toReversed()), `own-${lane}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const results = answers.flatMap(
    ({ body }) => body.results as { result: string; eid: string; uid: string }[],
  );
  expect(results.filter(({ result }) => result === 'created')).toHaveLength(28);
  expect(new Set(results.map(({ eid, uid }) => `${eid} ${uid}`)).size).toBe(28);
  expect(await countStored()).toEqual({ alerts: 28, findings: 28, counted: 28 });
});

it('the plan lets as many of many pushes at once pass as it has room for', async () => {
  api.advance(3_600_000 - (api.services.now() % 60_000) + 1000);
  await api.ok('PUT', 'plan/1', { maxPushedAlerts: 5 });
  const before = (await countStored())!;
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => push(`a-${n}`, `b-${n}`)));
  const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
  expect(statuses).toEqual([200, 200, 429, 429, 429, 429, 429, 429]);
  expect(await countStored()).toEqual({
    alerts: before.alerts + 4,
    findings: before.findings + 4,
    counted: 4,
  });
  await api.ok('PUT', 'plan/1', { maxPushedAlerts: 6000 });
});

it.each([
  ['is disabled', 'DISABLED', 'EXTERNAL', 409],
  ['is deleted', 'DELETED', 'EXTERNAL', 404],
  ['gets another source', 'ACTIVE', 'PLATFORM', 409],
])('a push during which the detector %s leaves nothing', async (_, status, source, answer) => {
  const before = await countStored();
  let pushed: ReturnType<typeof push> | undefined;
  await api.store.transaction(async (tx) => {
    await tx.query(sql`update detector set status = ${status}, source = ${source} where id = ${detectorId}`);
    pushed = push(`late ${status} ${source}`);
    // It has got as far as the detector.
    await expect
      .poll(async () => {
        const waiting = await api.store.query(
          sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%pushed_alerts%'
            and datname = current_database()`,
        );
        return waiting.length;
      })
      .toBe(1);
  });
  expect((await pushed!).status).toBe(answer);
  expect(await countStored()).toEqual(before);
  await api.store.query(
    sql`update detector set status = 'ACTIVE', source = 'EXTERNAL' where id = ${detectorId}`,
  );
});

it('a push whose commit waits, as for a database worker that hangs, makes no other tenant wait and is counted once', async () => {
  const { store } = api;
  const other = await api.ok('POST', 'tenant', { name: 'Beside' });
  const project = await api.ok('POST', 'project', { tenantId: other.id, name: 'Vault' });
  const { contractId } = await api.ok('GET', `detector/${detectorId}`);
  const { chainUid, address } = await api.ok('GET', `contract/${contractId}`);
  const contract = await api.ok('POST', 'contract', {
    projectId: project.id,
    name: 'Treasury',
    chainUid,
    address,
  });
  const { id: besideId } = await api.ok('POST', 'detector', {
    contractId: contract.id,
    schemaName: 'engine',
    name: 'Engine',
    source: 'EXTERNAL',
  });
  const counted = async () => {
    const [row] = await store.query<{ count: number }>(
      sql`select (select coalesce(sum(value), 0) from platform_sample where metric = 'alerts')
        + (select coalesce(sum(value), 0) from metric_sample where metric = 'alerts' and tenant_id = 0) as count`,
    );
    return row!.count;
  };
  const before = await counted();
  await store.query(sql`create function wait_at_commit() returns trigger language plpgsql
    as $$ begin perform pg_advisory_xact_lock(4711); return null; end $$`);
  await store.query(sql`create constraint trigger wait_at_commit after insert on alert_event
    deferrable initially deferred for each row when (new.tenant_id = ${raw(String(tenantId))})
    execute function wait_at_commit()`);
  let waiting: ReturnType<typeof push> | undefined;
  await store.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(4711)`);
    waiting = push('waits');
    await expect
      .poll(() =>
        store.query(sql`select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`),
      )
      .toHaveLength(1);
    const alerts = [{ eid: 'beside', message: 'Found.' }];
    expect((await api.call('POST', `detector/${besideId}/alert`, { alerts })).status).toBe(200);
  });
  expect((await waiting!).status).toBe(200);
  await store.query(sql`drop trigger wait_at_commit on alert_event`);
  expect(await counted()).toBe(before + 2);
  await foldSamples(store);
  expect(await store.query(sql`select from platform_sample`)).toEqual([]);
  expect(await counted()).toBe(before + 2);
});

describe('beyond the rate of the plan', () => {
  let hour = 0;
  const limit = 50;
  let detectorIds: number[];
  beforeAll(async () => {
    const chains = ['polygon', 'base', 'arbitrum'];
    const contracts = await Promise.all(
      chains.map((chainUid) =>
        api.ok('POST', 'contract', { projectId, name: chainUid, chainUid, address: `0x${'a1'.repeat(20)}` }),
      ),
    );
    const { schema } = await api.ok('GET', `detector/${detectorId}`);
    const detectors = await Promise.all(
      contracts.map(({ id: contractId, name }) =>
        api.ok('POST', 'detector', { contractId, schemaId: schema.id, name, source: 'EXTERNAL' }),
      ),
    );
    detectorIds = [detectorId, ...detectors.map(({ id }) => id as number)];
    await api.ok('PUT', 'plan/1', { detectorRateLimit: limit, maxPushedAlerts: 100_000 });
  });
  beforeEach(async () => {
    // Into the next window, some minutes before its end.
    api.advance(3_600_000 - (api.services.now() % 3_600_000) + 60_000);
    hour++;
    await api.store.query(sql`delete from alert_rate`);
  });
  afterAll(() => api.ok('PUT', 'plan/1', { detectorRateLimit: 1000, maxPushedAlerts: 6000 }));

  const pushMany = (id: number, name: string, count: number, members = {}) =>
    api.ok('POST', `detector/${id}/alert`, {
      alerts: Array.from({ length: count }, (_, n) => ({
        eid: `${hour} ${name} ${n}`,
        message: 'Found.',
        ...members,
      })),
    });
  const countWhere = async (query: string) => {
    const searched = `${query} AND timestamp:>=${api.services.now() - 120_000}`;
    return (await api.ok('POST', `project/${projectId}/alert/search`, { query: searched, size: 0 })).total;
  };
  const pushed = `name:Engine OR name:polygon OR name:base OR name:arbitrum`;

  it('pushed alerts beyond the rate of the plan are stored and notify no one, exactly so however many are pushed at once on several chains', async () => {
    const sizes = [7, 1, 20, 3, 1, 12, 9, 1, 16, 5, 30, 2];
    await Promise.all(
      sizes.map((size, n) => pushMany(detectorIds[n % detectorIds.length]!, `lane ${n}`, size)),
    );
    const all = sizes.reduce((sum, size) => sum + size, 0);
    expect(await countWhere(`(${pushed})`)).toBe(all);
    expect(await countWhere(`(${pushed}) AND suppressed:true`)).toBe(all - limit);
    expect(await countWhere('name:"Alert rate limit reached"')).toBe(1);
  });

  it('a pushed alert of a higher severity still notifies, and what is back-filled is not counted', async () => {
    await pushMany(detectorId, 'old', limit, { timestamp: api.services.now() - 2 * 3_600_000 });
    await pushMany(detectorId, 'low', limit + 5, { severity: 'LOW' });
    await pushMany(detectorId, 'more', 5, { severity: 'LOW' });
    await pushMany(detectorId, 'high', 5, { severity: 'HIGH' });
    expect(await countWhere(`(${pushed}) AND suppressed:true`)).toBe(10);
    expect(await countWhere(`(${pushed}) AND suppressed:true AND severity:HIGH`)).toBe(0);
  });

  it('a push asks for the rate twice, however many alerts it has', async () => {
    const original = pg.Client.prototype.query;
    let asked = 0;
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      if (JSON.stringify(args[0]).includes('alert_rate')) asked++;
      return Reflect.apply(original, this, args) as never;
    });
    try {
      await pushMany(detectorId, 'one', 1);
      expect(asked).toBe(2);
      await pushMany(detectorId, 'many', 40);
      expect(asked).toBe(4);
    } finally {
      spy.mockRestore();
    }
  });
});

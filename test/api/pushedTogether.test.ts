import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { addSource } from '../../testing/addSource.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;
let tenantId: number;
let detectorId: number;
beforeAll(async () => {
  api = await startTestApi();
  ({ id: tenantId } = (await api.ok('POST', 'tenant', { name: 'Together' })) as { id: number });
  ({ detectorId } = await addSource(api, tenantId));
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

it('of what many push at once, each finding is created once', async () => {
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

it('of many pushes at once, as many pass as the plan has room for', async () => {
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

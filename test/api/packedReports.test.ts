import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { packRollups } from '../../src/store/search/months/packRollups.ts';
import { monthBase, verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { raiseAll, randomFinding } from '../support/randomAlerts.ts';
import { type AggregatedAlerts, createAggregatedAlerts, end, placeOf } from './support/aggregatedAlerts.ts';

const day = 86_400_000;
const begin = end - 150 * day;

let api: TestApi;
let alerts: AggregatedAlerts;
beforeAll(async () => {
  api = await startTestApi();
  alerts = await createAggregatedAlerts(api, 700);
});
afterAll(() => api.stop());

/** What is counted by roll-ups, or may be. */
function questions(): [path: string, body: Json][] {
  const { own } = alerts;
  const terms = (field: string, aggregation: unknown[] = []) => ({
    name: field,
    field,
    aggregation: ['terms', ...aggregation],
  });
  const ranges = [
    { from: begin, to: end },
    { from: begin + 5 * 3_600_000 + 7, to: end - 40 * day + 3 },
    { from: end - 45 * day, to: end - 45 * day + 6 * 3_600_000 },
    { from: Date.now() - 40 * day, to: Date.now() },
  ];
  const queries = [undefined, 'severity:(HIGH OR CRITICAL) AND NOT kind:trigger'];
  const reports = ranges.flatMap((range) =>
    [
      { interval: '1d' },
      { interval: '6h' },
      { interval: '1w', timezone: 'Europe/Paris' },
      { interval: '1M', timezone: '+05:45' },
    ].flatMap((buckets) =>
      queries.flatMap((query): [string, Json][] => {
        const body = { ...range, ...buckets, ...(query === undefined ? {} : { query }) };
        return [
          [`contract/${own.contract.id}/histogram`, body],
          [`tenant/${own.tenant.id}/dashboard/usage`, body],
        ];
      }),
    ),
  );
  const searches = [undefined, ...ranges].flatMap((range) =>
    queries.flatMap((query): [string, Json][] => {
      const body = {
        ...(range ? { timeseries: [range] } : {}),
        ...(query === undefined ? {} : { query }),
        trackTotalCount: 100_000,
      };
      return [
        ['alert/search', { ...body, size: 1 }],
        [`contract/${own.contract.id}/detector/alert/search`, { ...body, size: 1 }],
        ['alert/aggregation', { ...body, aggregation: [terms('severity', [terms('group')]), terms('kind')] }],
      ];
    }),
  );
  return [...reports, ...searches];
}

async function answers(): Promise<Json[]> {
  const found: Json[] = [];
  for (const [path, body] of asked) {
    const { status, body: answer } = await api.call('POST', path, body, { token: alerts.viewer });
    // Other members of the usage count these calls themselves.
    const data = path.endsWith('usage') ? answer.data.map(({ bucket }: Json) => bucket.alerts) : answer.data;
    found.push({ path, body, status, data, total: answer.total });
  }
  return found;
}
let asked: ReturnType<typeof questions>;

it('answers every report and total as before when months are packed, and counts what comes after that', async () => {
  asked = questions();
  const before = await answers();
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
  await packRollups(api.store, end + 90 * day, new AbortController().signal);
  const rows = await api.store.query<{ isPacked: boolean }>(
    sql`select day >= ${monthBase} as "isPacked" from alert_rollup`,
  );
  expect(rows.filter(({ isPacked }) => isPacked).length).toBeGreaterThan(20);
  expect(await answers()).toEqual(before);

  const random = createRandom('late alerts');
  const late = Array.from({ length: 40 }, (_, n) =>
    randomFinding(random, placeOf(alerts.own), 10_000 + n, begin, end),
  );
  await raiseAll(api.store, late);
  const total = async () =>
    (await api.ok('POST', 'alert/search', { size: 0, trackTotalCount: 100_000 }, { token: alerts.viewer }))
      .total;
  const all = before.find(({ path, body }) => path === 'alert/search' && !body.query && !body.timeseries)!;
  expect(await total()).toBe(all.total + late.length);
  const withLate = await answers();
  expect(withLate).not.toEqual(before);
  await packRollups(api.store, end + 120 * day, new AbortController().signal);
  expect(await answers()).toEqual(withLate);
  expect(await verifyRollups(api.store)).toEqual([]);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/alert.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import { createAlertMatcher } from '../../src/store/search/createAlertMatcher.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';

let api: TestApi;
let world: World;
let viewer: string;

const milliard = '1000000000000000000000';
/** In the order of their numbers; the two greatest are the same as doubles. */
const amounts = [
  '-5',
  '0.1',
  '0.10000000000000000001',
  '46.461',
  '8092.58',
  '250000',
  '300000',
  500_000,
  '1000000',
  milliard,
  '1000000000000000000001',
];
const others: unknown[] = ['five', '2026-01-15', true, null];

const findings: Finding[] = [];
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
  viewer = await api.token(world.tenant.id, 'tenant-user');
  const place = { tenantId: world.tenant.id, projectId: world.project.id, contractId: world.contract.id };
  const values = [...amounts, ...others];
  // Stored in another order than that of their numbers.
  for (const [n, value] of values.entries())
    findings.push({
      ...place,
      kind: 'detector',
      group: 'SECURITY',
      severity: n % 2 === 0 ? 'HIGH' : 'LOW',
      timestamp: Date.now() - ((n * 7) % values.length) * 1000,
      key: `amount ${n}`,
      eid: `amount ${n}`,
      name: 'Large transfer',
      message: `Transfer of ${String(value)}`,
      meta: { amount: value },
      tags: [],
    });
  await raiseAll(api.store, findings);
});
afterAll(() => api.stop());

const ask = (path: string, body: Json) => api.ok('POST', path, body, { token: viewer });
const found = async (body: Json): Promise<unknown[]> =>
  (await ask('alert/search', { size: 100, ...body })).data.map(({ meta }: Json) => meta.amount);

async function aggregate(...aggregation: Json[]): Promise<Json> {
  return (await ask('alert/aggregation', { aggregation })).data;
}

describe('an amount that is stored as a text', () => {
  it.each([
    ['meta.amount:>300000', [500_000, '1000000', milliard, '1000000000000000000001']],
    ['meta.amount:>=1000000', ['1000000', milliard, '1000000000000000000001']],
    [`meta.amount:>${milliard}`, ['1000000000000000000001']],
    ['meta.amount:[0.1 TO 0.1]', ['0.1']],
    ['meta.amount:0.10000000000000000001', ['0.10000000000000000001']],
    ['meta.amount:500000.0', [500_000]],
    ['meta.amount:5', []],
    ['meta.amount:<0', ['-5']],
  ] as [string, unknown[]][])(
    'is found by %s as a number, in a search and in a stream',
    async (query, right) => {
      const sort = [{ field: 'meta.amount' }];
      expect(await found({ query, sort })).toEqual(right);
      const { matches } = createAlertMatcher(query, Date.now());
      const matched = findings.filter((finding) => matches(createSubject(finding)));
      expect(matched.map(({ meta }) => meta.amount)).toEqual(right);
    },
  );

  it('is sorted exactly, before texts that are no numbers', async () => {
    const rest = ['2026-01-15', 'five', true];
    expect(await found({ sort: [{ field: 'meta.amount' }] })).toEqual([...amounts, ...rest, null]);
    expect(await found({ sort: [{ field: 'meta.amount', order: 'desc' }] })).toEqual([
      ...[...amounts, ...rest].reverse(),
      null,
    ]);
    const letters = await found({ query: 'meta.amount.keyword:*', sort: [{ field: 'meta.amount.keyword' }] });
    const texts = [...amounts, ...others].filter((value) => typeof value === 'string');
    expect(letters).toEqual(texts.toSorted());
  });

  it('is measured with the numbers', async () => {
    const numbers = amounts.map(Number);
    const sum = numbers.reduce((total, value) => total + value, 0);
    const { all } = await aggregate({
      name: 'all',
      field: 'meta.amount',
      aggregation: ['stats', 'missing', 'percentiles'],
    });
    expect(all.stats).toEqual({
      count: 11,
      min: -5,
      max: 1e21,
      avg: expect.closeTo(sum / 11, -8),
      sum: expect.closeTo(sum, -8),
    });
    expect(all.percentiles['50.0']).toBe(250_000);
    expect(all.missing).toBe(3);
  });

  it('has a bucket of its own for each number, also where doubles are the same, and inside of others', async () => {
    const nested = { name: 'severities', field: 'severity' };
    const kinds = { name: 'kinds', field: 'kind' };
    const { amount } = await aggregate({
      name: 'amount',
      field: 'meta.amount',
      size: 100,
      sort: [{ field: '_key' }],
      // Two of them, so that one is read for buckets that are named.
      aggregation: [nested, kinds],
    });
    const keys = [...amounts.slice(0, -1).map(Number), '1000000000000000000001', true];
    keys[2] = '0.10000000000000000001';
    expect(amount.buckets.map(({ key }: Json) => key)).toEqual(keys);
    for (const { count, severities, kinds: inside } of amount.buckets) {
      expect(count).toBe(1);
      expect(severities.buckets).toHaveLength(1);
      expect(inside.buckets).toEqual([{ key: 'detector', count: 1 }]);
    }
  });
});

describe('a bulk change', () => {
  it('a bulk change by a quoted star changes the alerts that have a star, and no others', async () => {
    for (const query of ['"*" AND severity:HIGH', 'timestamp:"*"', '_exists_:"meta.zz*"'])
      expect(await ask('alert/tag', { query, add: ['seen'], dryRun: true })).toMatchObject({ count: 0 });
  });
});

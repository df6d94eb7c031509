import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { sql } from '../../lib/sql.ts';
import type { Series } from '../../model/metrics.ts';
import type { Db, Store } from '../../store/db/db.ts';
import { openStore } from '../../store/db/openStore.ts';
import { createMetricRecorder } from './createMetricRecorder.ts';

const series: Series[] = [
  { metric: 'api_requests', labels: { type: 'GET' } },
  { metric: 'api_requests', labels: { type: 'POST' } },
  { metric: 'transactions', labels: { chain: 'anvil', type: 'x' } },
  // The same labels as before, written the other way round.
  { metric: 'transactions', labels: { type: 'x', chain: 'anvil' } },
];

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
});
beforeEach(() => store.query(sql`truncate metric_sample`));
afterAll(async () => {
  await store.close();
  await database.drop();
});

type Row = { tenantId: number; metric: string; minute: number; labels: Record<string, string> } & Numbers;
type Numbers = { value: number; count: number; min: number; max: number; last: number };

async function stored(): Promise<Row[]> {
  return store.query<Row>(
    sql`select tenant_id as "tenantId", metric, minute, labels, value, count, min, max, last from metric_sample
      order by 1, 2, 3, 4`,
  );
}

describe('the metric recorder', () => {
  it('writes the sum, count, smallest, largest and last of every series, tenant and minute', async () => {
    let now = 120_000;
    const recorder = createMetricRecorder(store, () => now);
    recorder.add(series[0]!, 1, 5);
    recorder.add(series[0]!, 1, 2);
    recorder.add(series[0]!, 1, 3);
    recorder.add(series[0]!, 2, 7);
    now = 179_999;
    recorder.add(series[2]!, 1, 1);
    now = 180_000;
    recorder.add(series[3]!, 1, 4);
    recorder.add(series[0]!, 1, 9);
    await recorder.flush();
    await recorder.flush();
    const row = (tenantId: number, minute: number, at: Series, numbers: number[]) => {
      const [value, count, min, max, last] = numbers;
      return { tenantId, metric: at.metric, minute, labels: at.labels, value, count, min, max, last };
    };
    expect(await stored()).toEqual([
      row(1, 120_000, series[0]!, [10, 3, 2, 5, 3]),
      row(1, 180_000, series[0]!, [9, 1, 9, 9, 9]),
      row(1, 120_000, series[2]!, [1, 1, 1, 1, 1]),
      row(1, 180_000, series[3]!, [4, 1, 4, 4, 4]),
      row(2, 120_000, series[0]!, [7, 1, 7, 7, 7]),
    ]);
  });

  it('counts exactly with several recorders on one database, whatever fails in between and whenever they flush', async () => {
    const random = createRandom('recorders');
    let failures = 0;
    const shaky: Db = {
      isDistributed: store.isDistributed,
      query: store.query,
      repeated: store.repeated,
      prepared: async (statement) => {
        if (random.chance(0.3)) {
          failures++;
          throw new Error('The database is away.');
        }
        return store.prepared(statement);
      },
    };
    let now = 0;
    const recorders = [shaky, shaky, store].map((db) => createMetricRecorder(db, () => now));
    const expected = new Map<string, number>();
    const flushes: Promise<unknown>[] = [];
    for (let round = 0; round < 3000; round++) {
      now += random.integer(0, 100);
      const [at, tenantId, value] = [random.pick(series), random.integer(0, 3), random.integer(1, 5)];
      random.pick(recorders).add(at, tenantId, value);
      const key = [tenantId, at.metric, Math.floor(now / 60_000) * 60_000, at.labels.type].join(' ');
      expected.set(key, (expected.get(key) ?? 0) + value);
      if (random.chance(0.02)) flushes.push(random.pick(recorders).flush().catch(String));
      if (random.chance(0.01)) await Promise.all(flushes);
    }
    await Promise.all(flushes);
    for (const recorder of recorders)
      await expect
        .poll(() =>
          recorder.flush().then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
    expect(failures).toBeGreaterThan(0);
    const found = (await stored()).map(({ tenantId, metric, minute, labels, value }) => [
      [tenantId, metric, minute, labels.type].join(' '),
      value,
    ]);
    expect(new Map(found as [string, number][])).toEqual(expected);
    expect(found.length).toBe(expected.size);
  });

  it('notes a value in well under a microsecond', () => {
    const recorder = createMetricRecorder(store, Date.now);
    const times = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      for (let n = 0; n < 100_000; n++) recorder.add(series[n & 1]!, n % 50, 1);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 100_000;
    });
    console.log(`one value: ${Math.round(Math.min(...times) * 1000)} ns`);
    expect(Math.min(...times)).toBeLessThan(1);
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { sql } from '../../../lib/sql.ts';
import type { Db, Store } from '../../db/db.ts';
import { openStore } from '../../db/openStore.ts';
import { packRollups } from '../months/packRollups.ts';
import { ensurePartitions } from '../months/partitions.ts';
import { countByRollup } from './countByRollup.ts';
import { cells, dayMs, monthBase, perCount, perQuarter, quarterMs } from './rollups.ts';

const random = createRandom('roll-ups of days');
const owner = { tenantId: 1, contractId: 2 };
const firstDay = 20_000;
const days = Array.from({ length: 40 }, (_, n) => firstDay + n);
/** What the roll-ups have: a count of a cell at a time; it may be negative. */
type Counted = { at: number; cell: number; count: number };
const counted: Counted[] = [];
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  for (const day of days) {
    // Quiet days have only the latest counts; others are as dense at night, or not at all.
    const from = random.pick([0, 0, 60, 90]);
    // Both months have days that can be packed.
    const isQuiet = day % 5 === 0;
    const size = isQuiet ? 0 : random.pick([0, 3, 60, 700]);
    const summed = randomNumbers(size, from, random.pick([4, 94, 95]));
    const recent = randomNumbers(isQuiet ? 40 : random.pick([0, 5, 40]), 0, 95);
    const quarters = [...summed].map(([place, count]) => count * perCount + place);
    const totals = new Map<number, number>();
    for (const [place, count] of summed) add(totals, place % perQuarter, count);
    for (const [place, count] of [...summed, ...recent]) {
      const at = day * dayMs + Math.floor(place / perQuarter) * quarterMs;
      counted.push({ at, cell: place % perQuarter, count });
    }
    const isSummed = summed.size > 0;
    await store.query(sql`insert into alert_rollup (tenant_id, contract_id, day, totals, quarters, recent) values (
      ${owner.tenantId}, ${owner.contractId}, ${day},
      ${isSummed ? [...totals].map(([cell, count]) => count * perCount + cell) : null}::bigint[],
      ${isSummed ? quarters : null}::bigint[],
      ${[...recent].map(([place, count]) => count * perCount + place)}::int4[])`);
  }
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** Counts by place, in the order of places. */
function randomNumbers(size: number, from: number, to: number): Map<number, number> {
  const numbers = new Map<number, number>();
  for (let n = 0; n < size; n++) {
    const quarter = random.integer(Math.min(from, to), Math.max(from, to));
    const count = random.chance(0.1) ? -1 : random.integer(1, 400);
    numbers.set(quarter * perQuarter + random.integer(0, cells.length - 1), count);
  }
  return new Map([...numbers].toSorted(([a], [b]) => a - b));
}

function add<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count);
}

it('counts the same as one by one, wherever buckets begin, also of packed months', async () => {
  for (let round = 0; round < 120; round++) {
    if (round === 60) await packDays();
    const [a = 0, b = 0] = [randomQuarter(), randomQuarter()].toSorted((x, y) => x - y);
    const [from, beyond] = random.chance(0.3)
      ? [firstDay * dayMs, (days.at(-1)! + 1) * dayMs]
      : [a, b + quarterMs];
    const starts = randomStarts(from, beyond);
    const rows = await countByRollup(store, owner, { from, to: beyond - 1, starts });
    const found = new Map<string, number>();
    for (const { bucket, group, numericSeverity, count } of rows ?? [])
      add(found, `${bucket} ${group} ${numericSeverity}`, count);
    const expected = new Map<string, number>();
    for (const { at, cell, count } of counted) {
      if (at < from || at >= beyond) continue;
      const { group, severity } = cells[cell]!;
      add(expected, `${starts.findLastIndex((start) => start <= at)} ${group} ${severity}`, count);
    }
    expect(sorted(found), `${from} to ${beyond} by ${starts.join()}, seed ${random.seed}`).toEqual(
      sorted(expected),
    );
  }
});

it('counts a changed, a new and a removed day at once, also where it has counted before', async () => {
  const own = { tenantId: 3, contractId: 4 };
  const [from, to] = [firstDay * dayMs, (firstDay + 10) * dayMs - 1];
  const total = async (db: Db = store) =>
    (await countByRollup(db, own, { from, to, starts: [from] }))?.reduce((sum, { count }) => sum + count, 0);
  const put = (db: Db, day: number, count: number) =>
    db.query(sql`insert into alert_rollup (tenant_id, contract_id, day, recent)
      values (${own.tenantId}, ${own.contractId}, ${day}, ${[count * perCount]}::int4[])
      on conflict (tenant_id, contract_id, day) do update set recent = excluded.recent`);
  expect([await total(), await total()]).toEqual([0, 0]);
  await put(store, firstDay, 5);
  expect([await total(), await total()]).toEqual([5, 5]);
  await put(store, firstDay + 1, 2);
  expect([await total(), await total()]).toEqual([7, 7]);
  await put(store, firstDay, 6);
  expect([await total(), await total()]).toEqual([8, 8]);
  const undone = store.transaction(async (tx) => {
    await put(tx, firstDay, 100);
    expect([await total(tx), await total()]).toEqual([102, 8]);
    await put(tx, firstDay, 200);
    expect([await total(tx), await total()]).toEqual([202, 8]);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await total()).toBe(8);
  await store.query(sql`delete from alert_rollup where tenant_id = ${own.tenantId} and day = ${firstDay}`);
  expect([await total(), await total()]).toEqual([2, 2]);
});

/** Both months that the days are of. */
async function packDays(): Promise<void> {
  await store.query(
    sql`insert into tenant (id, created_at, updated_at, name) values (${owner.tenantId}, 0, 0, 'Tenant')`,
  );
  await ensurePartitions(store, 'alert', [firstDay * dayMs, days.at(-1)! * dayMs]);
  await packRollups(store, (firstDay + 90) * dayMs, new AbortController().signal);
  const packed = await store.query(sql`select 1 from alert_rollup where day >= ${monthBase}`);
  expect(packed).toHaveLength(2);
}

const randomQuarter = () => random.pick(days) * dayMs + random.integer(0, 95) * quarterMs;

/** Buckets of days of a zone, which change with the season, or of several hours, or a single one. */
function randomStarts(from: number, beyond: number): number[] {
  const offset = random.integer(0, 95) * quarterMs;
  const width = random.pick([dayMs, dayMs, 7 * dayMs, 6 * 3_600_000, Number.POSITIVE_INFINITY]);
  const change = random.pick(days) * dayMs;
  const starts = [from];
  for (let at = Math.floor(from / dayMs) * dayMs + offset; at < beyond; at += width) {
    const start = at < change ? at : at + 4 * quarterMs;
    if (start > from && start < beyond && start > starts.at(-1)!) starts.push(start);
  }
  return starts;
}

function sorted(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].filter(([, count]) => count !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

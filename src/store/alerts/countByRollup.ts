import { empty, join, type Sql, sql } from '../../lib/sql.ts';
import type { AlertGroup } from '../../model/alert.ts';
import type { Db } from '../db.ts';
import { cells, dayMs, perCount, perQuarter, quarterMs } from './rollups.ts';

/** Alerts from `from` to `to`, both included, cut at the starts of buckets; the first start is not after `from`. */
export type TimeCut = { from: number; to: number; starts: readonly number[] };

/** All alerts of a contract, or with contract 0 of the whole tenant. */
export type AlertOwner = { tenantId: number; contractId: number; isForeign?: boolean };

/** The number of alerts in a bucket (from 0) by group and severity; a cell may occur several times. */
export type CellCount = { bucket: number; group: AlertGroup; numericSeverity: number; count: number };

export function countsOfAlerts({ starts }: TimeCut, condition: Sql): Sql {
  return sql`select width_bucket(t.timestamp, ${starts}::bigint[]) - 1 as bucket, t.alert_group as "group",
      t.numeric_severity as "numericSeverity", count(*) as count
    from alert t where ${condition} group by 1, 2, 3`;
}

/** A time range: `from` is inside, `beyond` is not. */
type Span = { from: number; beyond: number };

/** A day of the roll-ups; `isWhole` if its numbers count the whole day, and not its quarters. */
type RollupDay = { day: number; isWhole: boolean; numbers: number[] };
type RollupRow = (CellCount & { numbers: null }) | (CellCount & RollupDay);

/**
 * Alerts before the first and after the last whole quarter are counted directly, in the same statement and so in the
 * same snapshot. Undefined if a bucket begins within a quarter.
 */
export async function countByRollup(
  db: Db,
  owner: AlertOwner,
  cut: TimeCut,
): Promise<CellCount[] | undefined> {
  const inside = cut.starts.filter((start) => start > cut.from);
  if (inside.some((start) => start % quarterMs !== 0)) return undefined;
  const first = Math.ceil(cut.from / quarterMs) * quarterMs;
  const beyond = Math.floor((cut.to + 1) / quarterMs) * quarterMs;
  const isShort = first >= beyond;
  const rolled = isShort ? [] : rollupSpans([first, ...inside, beyond]);
  const edges = isShort
    ? [{ from: cut.from, beyond: cut.to + 1 }]
    : [
        { from: cut.from, beyond: first },
        { from: beyond, beyond: cut.to + 1 },
      ].filter((span) => span.from < span.beyond);
  // `offset 0` makes the planner look up each span in the index.
  const fromRollups = sql`select null::int as bucket, null as "group", null::smallint as "numericSeverity",
      null::bigint as count, r.day, s.is_whole as "isWhole",
      (case when s.is_whole then r.totals else r.quarters end || r.recent)::bigint[] as numbers
    from unnest(${rolled.map(({ isWhole }) => isWhole)}::boolean[], ${rolled.map(({ first }) => first)}::int[],
                ${rolled.map(({ last }) => last)}::int[]) s(is_whole, first, last)
    cross join lateral (
      select day, totals, quarters, recent from alert_rollup
      where tenant_id = ${owner.tenantId} and contract_id = ${owner.contractId}
        and day between s.first and s.last offset 0) r`;
  const whole = rolled.find(({ isWhole }) => isWhole);
  const summed = inside.length === 0 && whole ? sumOfDays(fromRollups, whole.first) : fromRollups;
  const fromEdges = edges.map(
    (edge) => sql`select *, null, null, null from (${countsOfEdge(owner, cut, edge)}) e`,
  );
  // The driver reads JSON faster than an array.
  const rows = await db.repeated<RollupRow>(
    sql`select bucket, "group", "numericSeverity", count, day, "isWhole", array_to_json(numbers) as numbers
      from (${join([summed, ...fromEdges], ' union all ')}) counted`,
  );
  return rows.flatMap((row) =>
    row.numbers === null ? [row] : countsOfDay(row, cut.starts, { from: first, beyond }),
  );
}

/** Where there is one bucket, all whole days become one, because PostgreSQL adds up faster than it hands over. */
function sumOfDays(days: Sql, day: number): Sql {
  return sql`select * from (
    with days as materialized (${days})
    select * from days where not "isWhole"
    union all
    select null, null, null, null, ${day}::int, true, array_agg(number) from (
      select (sum(number >> 12) * ${perCount})::bigint + cell as number
      from (select number, number & ${perQuarter - 1} as cell from days, unnest(numbers) number where "isWhole") each
      group by cell) cell
    having count(*) > 0) summed`;
}

/** The counts of a day within the span, in the buckets that begin at `starts`. */
function countsOfDay(
  { day, isWhole, numbers }: RollupDay,
  starts: readonly number[],
  span: Span,
): CellCount[] {
  const firstBucket = bucketOf(starts, day * dayMs);
  const counts: number[] = [];
  let bucket = firstBucket;
  let lastQuarter = -1;
  for (const number of numbers) {
    const place = number & (perCount - 1);
    const quarter = isWhole ? lastQuarter : Math.floor(place / perQuarter);
    const at = day * dayMs + quarter * quarterMs;
    if (!isWhole && (at < span.from || at >= span.beyond)) continue;
    // Mostly in the order of time.
    if (quarter !== lastQuarter) bucket = bucketOf(starts, at);
    lastQuarter = quarter;
    const key = (bucket - firstBucket) * perQuarter + (place % perQuarter);
    counts[key] = (counts[key] ?? 0) + Math.floor(number / perCount);
  }
  const found: CellCount[] = [];
  for (const [key, count] of counts.entries()) {
    if (!count) continue;
    const { group, severity } = cells[key % perQuarter]!;
    const at = firstBucket + Math.floor(key / perQuarter);
    found.push({ bucket: at, group, numericSeverity: severity, count });
  }
  return found;
}

/** The last bucket that does not begin after `at`. */
function bucketOf(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** With constant bounds, so PostgreSQL plans only the partition of that range. */
function countsOfEdge(owner: AlertOwner, cut: TimeCut, { from, beyond }: Span): Sql {
  const contract = owner.contractId === 0 ? empty : sql`and t.contract_id = ${owner.contractId}`;
  return countsOfAlerts(
    cut,
    sql`t.tenant_id = ${owner.tenantId} ${contract} and t.timestamp >= ${from} and t.timestamp < ${beyond}
      and t.retracted_at is null`,
  );
}

/** Days from `first` to `last`. */
type DaySpan = { isWhole: boolean; first: number; last: number };

/** The days between two cuts are whole ones, those with a cut are not; neighbours of one sort are one span. */
function rollupSpans(cuts: readonly [number, ...number[]]): DaySpan[] {
  const spans: DaySpan[] = [];
  const push = (isWhole: boolean, first: number, last: number) => {
    const before = spans.at(-1);
    if (first > last) return;
    if (before?.isWhole === isWhole && before.last >= first - 1) before.last = Math.max(before.last, last);
    else spans.push({ isWhole, first, last });
  };
  let [from] = cuts;
  for (const beyond of cuts.slice(1)) {
    const firstWhole = Math.ceil(from / dayMs);
    const beyondWhole = Math.floor(beyond / dayMs);
    if (from % dayMs !== 0) push(false, Math.floor(from / dayMs), Math.floor(from / dayMs));
    push(true, firstWhole, beyondWhole - 1);
    if (beyond % dayMs !== 0) push(false, beyondWhole, beyondWhole);
    from = beyond;
  }
  return spans;
}

import { empty, join, raw, type Sql, sql } from '../../../lib/sql.ts';
import type { AlertGroup } from '../../../model/alert.ts';
import type { Db } from '../../db/db.ts';
import { addDay, addMonth, isIn, type RollupDay, type Span } from './addDay.ts';
import { monthSpans, unpackMonth, wholeMonth } from './rollupMonths.ts';
import { type DaySpan, everyQuarter, rollupSpans, splitSettled, wholeDay } from './rollupSpans.ts';
import { findSums, keepSums } from './rollupSums.ts';
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

type CountRow = (CellCount & { numbers: null }) | (CellCount & RollupDay);
/**
 * The version of the rows of settled days, and where these are asked for their numbers, and the packed months of them: the day of a
 * row, and then its numbers.
 */
type SettledRow = { version: string; numbers: number[] | null; side: [number, ...number[]][] | null };
type RollupRow = (CountRow & { version: null }) | SettledRow;

const quartersOfDay = dayMs / quarterMs;

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
  // With one bucket, all whole days are one row, because the driver takes longer for many.
  const isOneBucket = inside.length === 0;
  const together = rolled.filter(({ cut }) => isOneBucket && cut === wholeDay);
  const single = rolled.filter((span) => !together.includes(span));
  const { settled, others } = splitSettled(together);
  const unsettled = [...single, ...monthSpans([...single, ...others])];
  const fromRollups = [
    ...(unsettled.length > 0 ? [countsOfDays(owner, unsettled)] : []),
    ...(others.length > 0 ? [sumOfDays(owner, others)] : []),
  ].map((part) => sql`select *, null as version from (${part}) r`);
  const fromEdges = edges.map(
    (edge) => sql`select *, null::int as day, null::int as cut, null::json as numbers, null::json as totals,
        null::json as side, null as version from (${countsOfEdge(owner, cut, edge)}) e`,
  );
  const parts = [...fromRollups, ...fromEdges];
  const sums = new Float64Array(cut.starts.length * perQuarter);
  const counts: CellCount[] = [];
  for (const row of await readParts(db, owner, settled, parts, sums)) {
    if (row.numbers === null) counts.push(row);
    else if (row.cut !== wholeMonth) addDay(sums, row, cut.starts, { from: first, beyond });
    else addMonth(sums, row, cut.starts, { from: first, beyond }, settled);
  }
  for (const [key, count] of sums.entries()) {
    if (count === 0) continue;
    const { group, severity } = cells[key % perQuarter]!;
    counts.push({ bucket: Math.floor(key / perQuarter), group, numericSeverity: severity, count });
  }
  return counts;
}

/**
 * Reads the rows of all parts in one snapshot and adds the settled days to the first bucket. Their sum is cached by
 * version, because writing out thousands of numbers takes longest.
 */
async function readParts(
  db: Db,
  owner: AlertOwner,
  settled: readonly DaySpan[],
  parts: readonly Sql[],
  sums: Float64Array,
): Promise<CountRow[]> {
  const read = async (counted: readonly Sql[]) => {
    const rows = counted.length > 0 ? await db.repeated<RollupRow>(join(counted, ' union all ')) : [];
    return {
      version: rows.flatMap((row) => (row.version === null ? [] : [row]))[0],
      rows: rows.flatMap((row) => (row.version === null ? [row] : [])),
    };
  };
  if (settled.length === 0) return (await read(parts)).rows;
  const days = JSON.stringify([owner.tenantId, owner.contractId, settled]);
  const kept = findSums(db, days);
  const add = (numbers: readonly number[]) => {
    for (const [cell, count] of numbers.entries()) sums[cell]! += count;
  };
  if (kept) {
    const { version, rows } = await read([settledDays(owner, settled, false), ...parts]);
    if (version?.version === kept.version) {
      add(kept.counts);
      return rows;
    }
  }
  const { version, rows } = await read([settledDays(owner, settled, true), ...parts]);
  const counts = Array.from({ length: perQuarter }, () => 0);
  for (const number of version?.numbers ?? [])
    counts[number & (perQuarter - 1)]! += Math.floor(number / perCount);
  for (const [monthDay, ...numbers] of version?.side ?? [])
    unpackMonth(monthDay, numbers, (day, _quarter, cell, count) => {
      if (isIn(settled, day)) counts[cell]! += count;
    });
  if (version) keepSums(db, days, { version: version.version, counts });
  add(counts);
  return rows;
}

const noCell = raw(
  `null::int as bucket, null as "group", null::smallint as "numericSeverity", null::bigint as count`,
);

/** A row for each day. The driver reads JSON faster than an array. */
function countsOfDays(owner: AlertOwner, spans: readonly DaySpan[]): Sql {
  return sql`select ${noCell}, r.day, s.cut,
      array_to_json(case s.cut when ${raw(`${wholeDay}`)} then r.totals || r.recent
        when ${raw(`${everyQuarter}`)} then r.quarters || r.recent else r.recent::bigint[] end) as numbers,
      case when s.cut > 0 then array_to_json(r.totals) end as totals,
      case when s.cut > 0 then array_to_json(${sideOfCut}) end as side
    from ${daysOf(owner, spans)}`;
}

const numbersOfDays = raw(
  `('[' || coalesce(string_agg(nullif(array_to_string(r.totals || r.recent, ','), ''), ',')
    filter (where s.cut = ${wholeDay}), '') || ']')::json as numbers`,
);
const numbersOfMonths = raw(
  `('[' || coalesce(string_agg('[' || array_to_string(r.day || r.recent, ',') || ']', ',')
    filter (where s.cut = ${wholeMonth}), '') || ']')::json as side`,
);

/** One row for all days. */
function sumOfDays(owner: AlertOwner, spans: readonly DaySpan[]): Sql {
  return sql`select ${noCell}, min(r.day) as day, ${raw(`${wholeDay}`)} as cut, ${numbersOfDays},
      null::json as totals, null::json as side
    from ${daysOf(owner, spans)} having count(*) > 0`;
}

/**
 * One row for all days, with their version: every change gives a row the number of its transaction. Another server, which may have
 * given the same numbers to other changes, was started at another time.
 */
function settledDays(owner: AlertOwner, spans: readonly DaySpan[], hasNumbers: boolean): Sql {
  return sql`select ${noCell}, null::int as day, null::int as cut,
      ${hasNumbers ? numbersOfDays : raw('null::json as numbers')}, null::json as totals,
      ${hasNumbers ? numbersOfMonths : raw('null::json as side')},
      concat_ws(' ', pg_postmaster_start_time(), count(*), sum(hashtextextended(r.xmin::text, r.day))) as version
    from ${daysOf(owner, [...spans, ...monthSpans(spans)])}`;
}

/**
 * `offset 0` makes the planner look up each span in the index. A single span, or a few short ones, which take less than planning, are
 * planned once, because nothing of them is unknown.
 */
function daysOf({ tenantId, contractId }: AlertOwner, spans: readonly DaySpan[]): Sql {
  const ofOwner = sql`tenant_id = ${tenantId} and contract_id = ${contractId}`;
  const areShort = spans.length <= 4 && spans.every(({ first, last }) => last - first < 62);
  if (spans.length === 1 || areShort) {
    const parts = spans.map(
      ({
        cut,
        first,
        last,
      }) => sql`select ${cut}::int as cut, day, totals, quarters, recent, xmin from alert_rollup
        where ${ofOwner} and day between ${first} and ${last}`,
    );
    return sql`(${join(parts, ' union all ')}) r cross join lateral (select r.cut) s`;
  }
  return sql`unnest(${spans.map(({ cut }) => cut)}::int[], ${spans.map(({ first }) => first)}::int[],
        ${spans.map(({ last }) => last)}::int[]) s(cut, first, last)
    cross join lateral (
      select day, totals, quarters, recent, xmin from alert_rollup
      where ${ofOwner} and day between s.first and s.last offset 0) r`;
}

/**
 * Quarters are in time order, so a single number of the opposite side decides for all. The empty array is added because
 * PostgreSQL would unpack the stored array at each access.
 */
const sideOfCut = raw(`(
  select case when s.cut > ${quartersOfDay / 2}
    then case ${tries(endFrom)} else q end
    else case ${tries(beginningTo)} else q end end
  from (select q, cardinality(q) as n from (select r.quarters || '{}'::bigint[] as q offset 0) unpacked) sized)`);

function endFrom(part: number): string {
  return `when ${placeAt(`n - n / ${part}`)} < s.cut * ${perQuarter} then q[n - n / ${part}:]`;
}

function beginningTo(part: number): string {
  return `when ${placeAt(`n / ${part} + 1`)} >= s.cut * ${perQuarter} then q[:n / ${part}]`;
}

function placeAt(index: string): string {
  return `(q[${index}] & ${perCount - 1})`;
}

/** Tries sides that hold growing parts of the day. */
function tries(attempt: (part: number) => string): string {
  return [8, 4, 2].map(attempt).join(' ');
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

import { empty, join, type Sql, sql } from '../../lib/sql.ts';
import type { AlertGroup } from '../../model/alert.ts';
import type { Db } from '../db.ts';
import { compileQuery } from '../documents/compileQuery.ts';
import { contractScope } from '../documents/documentScopes.ts';
import { asSeenIn, type DocumentScope } from '../documents/documentTable.ts';
import { alertTable } from './alertTable.ts';
import { cells, dayMs, eachCell, quarterMs } from './rollups.ts';

/** Alerts from `from` to `to`, both included, cut at the starts of buckets; the first start is not after `from`. */
export type TimeCut = { from: number; to: number; starts: readonly number[] };

/** All alerts of a contract, or with contract 0 of the whole tenant. */
export type AlertOwner = { tenantId: number; contractId: number; isForeign?: boolean };

/** The number of alerts in a bucket (from 0) by group and severity; a cell may occur several times. */
export type CellCount = { bucket: number; group: AlertGroup; numericSeverity: number; count: number };

/** Read from the roll-ups, or from the alerts where a query filters or a bucket begins within a quarter of an hour. */
export async function countAlertsOverTime(
  db: Db,
  owner: AlertOwner,
  cut: TimeCut,
  query: string | undefined,
  now: number,
): Promise<CellCount[]> {
  const fromRollups = query?.trim() ? undefined : countsByRollup(owner, cut);
  if (fromRollups) return toCellCounts(await db.query<RollupCount>(fromRollups));
  const { tenantId, contractId, isForeign = false } = owner;
  const scope: DocumentScope =
    contractId === 0
      ? { condition: sql`t.tenant_id = ${tenantId}`, tenantIds: [tenantId] }
      : contractScope({ id: contractId, tenantId, isForeign });
  const condition = await compileQuery(
    db,
    asSeenIn(alertTable, scope),
    scope,
    { query, timeseries: [cut] },
    now,
  );
  return db.query<CellCount>(countsOfAlerts(cut, condition));
}

function countsOfAlerts({ starts }: TimeCut, condition: Sql): Sql {
  return sql`select width_bucket(t.timestamp, ${starts}::bigint[]) - 1 as bucket, t.alert_group as "group",
      t.numeric_severity as "numericSeverity", count(*) as count
    from alert t where ${condition} group by 1, 2, 3`;
}

/** A row of the roll-ups has the counts of all cells. */
type RollupCount = CellCount & { counts: number[] | null };

function toCellCounts(rows: readonly RollupCount[]): CellCount[] {
  const counts: CellCount[] = [];
  for (const row of rows) {
    if (row.counts === null) counts.push(row);
    else
      for (const [index, { group, severity }] of cells.entries()) {
        const count = row.counts[index] ?? 0;
        if (count !== 0) counts.push({ bucket: row.bucket, group, numericSeverity: severity, count });
      }
  }
  return counts;
}

/** A time range: `from` is inside, `beyond` is not. */
type Span = { from: number; beyond: number };
type RollupSpan = Span & { width: number };

/**
 * Alerts before the first and after the last whole quarter are counted directly, in the same statement and so in the
 * same snapshot. Undefined if a bucket begins within a quarter.
 */
function countsByRollup(owner: AlertOwner, cut: TimeCut): Sql | undefined {
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
  const fromRollups = sql`select width_bucket(r.start, ${cut.starts}::bigint[]) - 1 as bucket, null as "group",
      null::smallint as "numericSeverity", null::bigint as count,
      array[${eachCell((n) => `sum(r.counts[${n}])`)}] as counts
    from unnest(${rolled.map(({ width }) => width)}::int[], ${rolled.map(({ from }) => from)}::bigint[],
                ${rolled.map(({ beyond }) => beyond)}::bigint[]) s(width_ms, first, beyond)
    cross join lateral (
      select start, counts from alert_rollup
      where tenant_id = ${owner.tenantId} and contract_id = ${owner.contractId} and width_ms = s.width_ms
        and start >= s.first and start < s.beyond offset 0) r
    group by 1`;
  const fromEdges = edges.map((edge) => sql`select *, null from (${countsOfEdge(owner, cut, edge)}) e`);
  return join([fromRollups, ...fromEdges], ' union all ');
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

/** Between two cuts: whole days by the day, the rest by the quarter; neighbours of one width are one span. */
function rollupSpans([first, ...rest]: readonly [number, ...number[]]): RollupSpan[] {
  const spans: RollupSpan[] = [];
  const push = (width: number, from: number, beyond: number) => {
    const last = spans.at(-1);
    if (from >= beyond) return;
    if (last?.width === width && last.beyond === from) last.beyond = beyond;
    else spans.push({ width, from, beyond });
  };
  let from = first;
  for (const beyond of rest) {
    const firstDay = Math.ceil(from / dayMs) * dayMs;
    const lastDay = Math.floor(beyond / dayMs) * dayMs;
    if (firstDay < lastDay) {
      push(quarterMs, from, firstDay);
      push(dayMs, firstDay, lastDay);
      push(quarterMs, lastDay, beyond);
    } else push(quarterMs, from, beyond);
    from = beyond;
  }
  return spans;
}

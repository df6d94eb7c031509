import { getOrThrow } from '../../lib/getOrThrow.ts';
import { raw, sql } from '../../lib/sql.ts';
import { severities } from '../../model/enumerations.ts';
import type { Db } from '../db/db.ts';
import { currentPlan } from '../tables/currentPlan.ts';

export type RateWindow = {
  tenantId: number;
  /** Counts by severity before this batch, the lowest severity first. */
  before: number[];
  limit: number;
  durationMs: number;
  start: number;
  /** The highest severity (as a number) whose suppression was reported in this window; 0: none. */
  noticed: number;
};

/** The current rate window of each tenant, by its plan, as far as it is committed; holds nothing. */
export async function readAlertRates(
  db: Db,
  tenantIds: readonly number[],
  now: number,
): Promise<RateWindow[]> {
  const windows = await db.prepared<Omit<RateWindow, 'before'> & { counts: number[] | null }>(
    sql`with plans as (
        select a.tenant_id, p.detector_rate_limit as rate_limit, greatest(p.detector_rate_limit_duration, 1) as duration
        from unnest(${tenantIds}::bigint[]) a(tenant_id)
          cross join lateral (select p.* from ${currentPlan(sql`a.tenant_id`, now)}) p),
      windows as (select *, ${now}::bigint - ${now}::bigint % duration as start from plans)
      select w.tenant_id as "tenantId", w.rate_limit as limit, w.duration as "durationMs", w.start, r.counts,
        coalesce(r.noticed, 0) as noticed
      from windows w left join alert_rate r on r.tenant_id = w.tenant_id and r.window_start = w.start`,
  );
  return windows.map(({ counts, ...window }) => ({ ...window, before: counts ?? severities.map(() => 0) }));
}

const sumOfCells = raw(severities.map((_, n) => `r.counts[${n + 1}] + excluded.counts[${n + 1}]`).join());

/**
 * Adds alerts, counted by severity, and the highest reported suppression to the windows of their tenants. Returns the
 * windows as before; they stay locked until the transaction ends.
 */
export async function addToAlertRates(
  tx: Db,
  windows: readonly RateWindow[],
  counts: ReadonlyMap<number, readonly number[]>,
): Promise<RateWindow[]> {
  const added = windows.map(({ tenantId }) => getOrThrow(counts, tenantId));
  const rows = await tx.prepared<{ tenantId: number; counts: number[] }>(
    sql`insert into alert_rate as r (tenant_id, window_start, counts, noticed)
      select a.tenant_id, a.start, a.counts::int4[], a.noticed
      from unnest(${windows.map(({ tenantId }) => tenantId)}::bigint[], ${windows.map(({ start }) => start)}::bigint[],
        ${added.map((cells) => `{${cells.join()}}`)}::text[], ${windows.map(({ noticed }) => noticed)}::int2[])
        a(tenant_id, start, counts, noticed)
      order by a.tenant_id
      on conflict (tenant_id, window_start) do update
        set counts = array[${sumOfCells}], noticed = greatest(r.noticed, excluded.noticed)
      returning tenant_id as "tenantId", counts`,
  );
  const countsOf = new Map(rows.map((row) => [row.tenantId, row.counts]));
  return windows.map((window, n) => {
    const cells = getOrThrow(countsOf, window.tenantId);
    return { ...window, before: cells.map((count, cell) => count - added[n]![cell]!) };
  });
}

/** Waits until no other transaction has its turn with one of these tenants; it ends with the transaction. */
export async function awaitTurn(tx: Db, tenantIds: readonly number[]): Promise<void> {
  await tx.prepared(
    sql`select pg_advisory_xact_lock(hashtextextended('alert rate ' || a.tenant_id, 0))
      from (select tenant_id from unnest(${tenantIds}::bigint[]) u(tenant_id) order by tenant_id) a`,
  );
}

export async function purgeAlertRates(db: Db, before: number): Promise<void> {
  await db.query(sql`delete from alert_rate where window_start < ${before}`);
}

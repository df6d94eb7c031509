import { sql } from '../../lib/sql.ts';
import { currentPlan } from '../accounts/plans.ts';
import type { Db } from '../db.ts';

export type RateWindow = {
  tenantId: number;
  /** The count before this batch. */
  before: number;
  limit: number;
  durationMs: number;
  start: number;
};

/** Adds alerts to the current rate window of each tenant, by its plan. */
export async function addToAlertRates(
  tx: Db,
  counts: ReadonlyMap<number, number>,
  now: number,
): Promise<RateWindow[]> {
  return tx.prepared<RateWindow>(
    sql`with added as (
        select * from unnest(${[...counts.keys()]}::bigint[], ${[...counts.values()]}::int[]) a(tenant_id, count)),
      plans as (
        select a.tenant_id, a.count as added, p.detector_rate_limit as rate_limit,
          greatest(p.detector_rate_limit_duration, 1) as duration
        from added a cross join lateral (select p.* from ${currentPlan(sql`a.tenant_id`, now)}) p),
      counted as (
        insert into alert_rate as r (tenant_id, window_start, count)
        select tenant_id, ${now}::bigint - ${now}::bigint % duration, added from plans order by tenant_id
        on conflict (tenant_id, window_start) do update set count = r.count + excluded.count
        returning tenant_id, window_start, count)
      select c.tenant_id as "tenantId", c.count - p.added as before, p.rate_limit as limit, p.duration as "durationMs",
        c.window_start as start
      from counted c join plans p using (tenant_id)`,
  );
}

export async function purgeAlertRates(db: Db, before: number): Promise<void> {
  await db.query(sql`delete from alert_rate where window_start < ${before}`);
}

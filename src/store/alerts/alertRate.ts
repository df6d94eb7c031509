import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

export type RateWindow = {
  tenantId: number;
  /** How many there were before. */
  before: number;
  limit: number;
  durationMs: number;
  start: number;
};

/** Adds to the present window of each tenant's plan. */
export async function countAlerts(
  tx: Db,
  counts: ReadonlyMap<number, number>,
  now: number,
): Promise<RateWindow[]> {
  return tx.prepared<RateWindow>(
    sql`with given as (select * from unnest(${[...counts.keys()]}::bigint[], ${[...counts.values()]}::int[]) g(tenant_id, n)),
      plans as (
        select g.tenant_id, g.n, p.detector_rate_limit as most, greatest(p.detector_rate_limit_duration, 1) as duration
        from given g cross join lateral (
          select p.* from plan p left join subscription s on s.plan_id = p.id and s.tenant_id = g.tenant_id
            and s.status = 'ACTIVE' and s.start_date <= ${now}::bigint and s.expiration_date > ${now}::bigint
          where s.id is not null or p.is_free
          order by s.start_date desc nulls last, s.id desc nulls last limit 1) p),
      counted as (
        insert into alert_rate as r (tenant_id, window_start, count)
        select tenant_id, ${now}::bigint - ${now}::bigint % duration, n from plans order by tenant_id
        on conflict (tenant_id, window_start) do update set count = r.count + excluded.count
        returning tenant_id, window_start, count)
      select c.tenant_id as "tenantId", c.count - p.n as before, p.most as limit, p.duration as "durationMs",
        c.window_start as start
      from counted c join plans p using (tenant_id)`,
  );
}

export async function forgetOldRates(db: Db, before: number): Promise<void> {
  await db.query(sql`delete from alert_rate where window_start < ${before}`);
}

import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/** Deletes the samples of minutes before `before`, series by series, because that is how they can be found. */
export async function dropOldSamples(db: Db, before: number): Promise<void> {
  await db.query(
    sql`with recursive series as (
        (select tenant_id, metric from metric_sample order by tenant_id, metric limit 1)
        union all
        select next.tenant_id, next.metric from series s, lateral (
          select tenant_id, metric from metric_sample
          where (tenant_id, metric) > (s.tenant_id, s.metric) order by tenant_id, metric limit 1) next)
      delete from metric_sample m using series s
      where m.tenant_id = s.tenant_id and m.metric = s.metric and m.minute < ${before}`,
  );
}

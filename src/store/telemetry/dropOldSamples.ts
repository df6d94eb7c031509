import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';

/** Deletes the samples of minutes before `before`, series by series, because that is how they can be found. */
export async function dropOldSamples(db: Db, before: number): Promise<void> {
  await inChunks(async (most) => {
    const rows = await db.query(
      sql`with recursive series as (
          (select tenant_id, metric from metric_sample order by tenant_id, metric limit 1)
          union all
          select next.tenant_id, next.metric from series s, lateral (
            select tenant_id, metric from metric_sample
            where (tenant_id, metric) > (s.tenant_id, s.metric) order by tenant_id, metric limit 1) next),
        old as (
          select m.at from series s, lateral (
            select ctid as at from metric_sample
            where tenant_id = s.tenant_id and metric = s.metric and minute < ${before} order by minute limit ${most}) m
          limit ${most})
        delete from metric_sample where ctid = any(array(select at from old)) returning 1`,
    );
    return rows.length;
  });
}

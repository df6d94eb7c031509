import { sql, unplanned } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** A lease on what a tenant's alert rates have still to count; `holder` proves it. `position` is the last event counted. */
export type RateLane = { tenantId: number; position: string; holder: string };

/** After a crash, another process takes over when this time ends. */
const leaseSeconds = 30;

/** Opens a lane for each tenant that has such a detector and none yet; it begins with what happened since the detector exists. */
export async function openRateLanes(db: Db, schemaName: string): Promise<void> {
  await db.prepared(
    sql`insert into alert_rate_lane (tenant_id, xid, seq, place)
      select n.tenant_id, coalesce(e.xid, '0'::xid8), coalesce(e.seq, 0), null
      from (select d.tenant_id, min(d.updated_at) as since from detector d
          where d.schema_id = any(array(select id from detector_schema where name = ${schemaName}))
            and d.status <> 'DELETED'
            and not exists (select from alert_rate_lane l where l.tenant_id = d.tenant_id)
          group by d.tenant_id) n
      left join lateral (select e.xid, e.seq from alert_event e where e.tenant_id = n.tenant_id and e.at < n.since
        order by e.xid desc, e.seq desc limit 1) e on true
      on conflict do nothing`,
  );
}

/** True if a tenant counts alerts, or has a detector that does. */
export const isCounting = (schemaName: string) => sql`exists (select from alert_rate_lane) or exists (
  select from detector d where d.status <> 'DELETED'
    and d.schema_id = any(array(select id from detector_schema where name = ${unplanned(schemaName)})))`;

/** Claims lanes with new events, each for one worker at a time; who waits longest comes first. */
export async function claimRateLanes(db: Db, limit: number): Promise<RateLane[]> {
  return db.prepared<RateLane>(
    sql`with due as (
        select l.tenant_id from alert_rate_lane l
        where (l.lease_until is null or l.lease_until < now()) and (l.place is not null or exists (
          select from alert_event e where e.tenant_id = l.tenant_id and (e.xid, e.seq) > (l.xid, l.seq)))
        order by l.served_at limit ${limit} for update skip locked)
      update alert_rate_lane l set holder = gen_random_uuid(), served_at = clock_timestamp(),
        lease_until = now() + make_interval(secs => ${leaseSeconds})
      from due where l.tenant_id = due.tenant_id
      returning l.tenant_id as "tenantId", concat_ws('-', l.xid, l.seq, l.place) as position, l.holder::text`,
  );
}

/** False if another process holds the lane by now; otherwise it is locked until the transaction ends. */
export async function holdsRateLane(tx: Db, { tenantId, holder }: RateLane): Promise<boolean> {
  const rows = await tx.prepared(
    sql`select 1 from alert_rate_lane where tenant_id = ${tenantId} and holder = ${holder}::uuid for update`,
  );
  return rows.length > 0;
}

/** Ends the lease. With a position everything up to there is counted. */
export async function releaseRateLane(db: Db, { tenantId, holder, position }: RateLane): Promise<void> {
  const [xid, seq, index = null] = position.split('-');
  await db.prepared(
    sql`update alert_rate_lane set holder = null, lease_until = null, xid = ${xid}::xid8, seq = ${seq}::bigint,
        place = ${index}::bigint
      where tenant_id = ${tenantId} and holder = ${holder}::uuid`,
  );
}

import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** A lease on the queue of one instance; `holder` proves it. */
export type Lane = { tenantId: number; instanceId: number; holder: string };

/** After a crash, another process takes over when this time ends. */
const laneLeaseSeconds = 10;

/** True if something is to be scored. */
export const hasScoreWork = sql`exists (select from score_work)`;

/**
 * Claims instances with queued work, each for one worker: first tenants with the fewest running lanes (`held`: those of
 * this process), then the longest waiting. So a tenant's slow instances delay only its own.
 */
export async function claimLanes(db: Db, limit: number, held: readonly Lane[] = []): Promise<Lane[]> {
  return db.prepared<Lane>(
    sql`with recursive waiting (tenant_id, id) as (
        (select w.tenant_id, w.license_instance_id from score_work w order by 1, 2 limit 1)
        union all
        select w.tenant_id, w.license_instance_id from waiting cross join lateral (
          select w.tenant_id, w.license_instance_id from score_work w
          where (w.tenant_id, w.license_instance_id) > (waiting.tenant_id, waiting.id) order by 1, 2 limit 1) w),
      free as (
        select s.tenant_id, s.license_instance_id, (select min(w.id) from score_work w
            where w.tenant_id = waiting.tenant_id and w.license_instance_id = waiting.id) as oldest
        from waiting
        join score_lane s on s.tenant_id = waiting.tenant_id and s.license_instance_id = waiting.id
        join license_instance i on i.tenant_id = waiting.tenant_id and i.id = waiting.id and i.status <> 'DELETED'
        where s.fault is null and (s.lease_until is null or s.lease_until < now())),
      taken as (
        select t.tenant_id, count(*) as count
        from unnest(${held.map(({ tenantId }) => tenantId)}::bigint[]) t(tenant_id) group by t.tenant_id),
      ranked as (
        select f.*, coalesce(t.count, 0)
            + row_number() over (partition by f.tenant_id order by f.oldest) as turn
        from free f left join taken t on t.tenant_id = f.tenant_id),
      due as (
        select s.tenant_id, s.license_instance_id from ranked r
        join score_lane s on s.tenant_id = r.tenant_id and s.license_instance_id = r.license_instance_id
        where s.fault is null and (s.lease_until is null or s.lease_until < now())
        order by r.turn, r.oldest
        limit ${limit} for update of s skip locked)
      update score_lane s set holder = gen_random_uuid(),
        lease_until = now() + make_interval(secs => ${laneLeaseSeconds})
      from due where s.tenant_id = due.tenant_id and s.license_instance_id = due.license_instance_id
      returning s.tenant_id as "tenantId", s.license_instance_id as "instanceId", s.holder::text`,
  );
}

/** Extends the leases of lanes that take long. */
export async function renewLanes(db: Db, lanes: readonly Lane[]): Promise<void> {
  await db.prepared(
    sql`update score_lane s set lease_until = now() + make_interval(secs => ${laneLeaseSeconds})
      from unnest(${lanes.map(({ tenantId }) => tenantId)}::bigint[],
        ${lanes.map(({ instanceId }) => instanceId)}::bigint[],
          ${lanes.map(({ holder }) => holder)}::uuid[]) h(tenant_id, id, holder)
      where s.tenant_id = h.tenant_id and s.license_instance_id = h.id and s.holder = h.holder`,
  );
}

/** False if another process holds the lane; otherwise it is locked until the transaction ends. */
export async function holdsLane(tx: Db, lane: Lane): Promise<boolean> {
  const rows = await tx.prepared(
    sql`select 1 from score_lane where tenant_id = ${lane.tenantId} and license_instance_id = ${lane.instanceId}
      and holder = ${lane.holder}::uuid for update`,
  );
  return rows.length > 0;
}

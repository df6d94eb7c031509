import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/** The right to score one instance; `holder` proves it. */
export type Lane = { tenantId: number; instanceId: number; holder: string };

/** How soon others take over from one that died. */
const leaseSeconds = 10;

/**
 * Takes instances that have something to score, each for one worker at a time: first those of the tenants that have the
 * fewest at work (`held` are those of this process), then those that wait longest, so that many slow instances of one tenant hold up only its own.
 */
export async function claimLanes(db: Db, most: number, held: readonly Lane[] = []): Promise<Lane[]> {
  return db.prepared<Lane>(
    sql`with recursive waiting (tenant_id, id) as (
        (select w.tenant_id, w.license_instance_id from score_work w order by 1, 2 limit 1)
        union all
        select n.tenant_id, n.license_instance_id from waiting w cross join lateral (
          select n.tenant_id, n.license_instance_id from score_work n
          where (n.tenant_id, n.license_instance_id) > (w.tenant_id, w.id) order by 1, 2 limit 1) n),
      free as (
        select l.tenant_id, l.license_instance_id, (select min(o.id) from score_work o
            where o.tenant_id = w.tenant_id and o.license_instance_id = w.id) as oldest
        from waiting w
        join score_lane l on l.tenant_id = w.tenant_id and l.license_instance_id = w.id
        join license_instance i on i.tenant_id = w.tenant_id and i.id = w.id and i.status <> 'DELETED'
        where l.fault is null and (l.lease_until is null or l.lease_until < now())),
      taken as (
        select t.tenant_id, count(*) as count from unnest(${held.map(({ tenantId }) => tenantId)}::bigint[]) t(tenant_id)
        group by t.tenant_id),
      ranked as (
        select f.*, coalesce(t.count, 0)
            + row_number() over (partition by f.tenant_id order by f.oldest) as turn
        from free f left join taken t on t.tenant_id = f.tenant_id),
      due as (
        select l.tenant_id, l.license_instance_id from ranked r
        join score_lane l on l.tenant_id = r.tenant_id and l.license_instance_id = r.license_instance_id
        where l.fault is null and (l.lease_until is null or l.lease_until < now())
        order by r.turn, r.oldest
        limit ${most} for update of l skip locked)
      update score_lane l set holder = gen_random_uuid(), lease_until = now() + make_interval(secs => ${leaseSeconds})
      from due where l.tenant_id = due.tenant_id and l.license_instance_id = due.license_instance_id
      returning l.tenant_id as "tenantId", l.license_instance_id as "instanceId", l.holder::text`,
  );
}

/** Keeps lanes whose work takes long. */
export async function renewLanes(db: Db, lanes: readonly Lane[]): Promise<void> {
  await db.prepared(
    sql`update score_lane l set lease_until = now() + make_interval(secs => ${leaseSeconds})
      from unnest(${lanes.map(({ tenantId }) => tenantId)}::bigint[], ${lanes.map(({ instanceId }) => instanceId)}::bigint[],
        ${lanes.map(({ holder }) => holder)}::uuid[]) h(tenant_id, id, holder)
      where l.tenant_id = h.tenant_id and l.license_instance_id = h.id and l.holder = h.holder`,
  );
}

/** False if somebody else holds the lane by now; otherwise it stays as it is until the transaction ends. */
export async function holdsLane(tx: Db, lane: Lane): Promise<boolean> {
  const rows = await tx.prepared(
    sql`select 1 from score_lane where tenant_id = ${lane.tenantId} and license_instance_id = ${lane.instanceId}
      and holder = ${lane.holder}::uuid for update`,
  );
  return rows.length > 0;
}

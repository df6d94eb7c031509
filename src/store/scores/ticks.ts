import { integer, sql, unplanned } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** An instance whose license has a schedule; `nextTickAt` is null until its first tick is set. */
export type DueTick = { tenantId: number; instanceId: number; tick: string; nextTickAt: number | null };

export async function findDueTicks(db: Db, now: number, limit: number): Promise<DueTick[]> {
  return db.prepared<DueTick>(
    sql`select i.tenant_id as "tenantId", i.id as "instanceId", l.tick, s.next_tick_at as "nextTickAt"
      from license l join license_instance i on i.license_id = l.id
      left join score_lane s on s.tenant_id = i.tenant_id and s.license_instance_id = i.id
      where l.tick is not null and l.status = 'ACTIVE' and l.score_script is not null
        and i.status = 'ACTIVE' and i.license_status = 'LICENCED'
        and (s.next_tick_at is null or s.next_tick_at <= ${unplanned(now)}) limit ${integer(limit)}`,
  );
}

export async function setFirstTick(db: Db, due: DueTick, time: number): Promise<void> {
  await db.prepared(
    sql`insert into score_lane as s (tenant_id, license_instance_id, next_tick_at)
      values (${due.tenantId}, ${due.instanceId}, ${time})
      on conflict (tenant_id, license_instance_id) do update set next_tick_at = excluded.next_tick_at
        where s.next_tick_at is null`,
  );
}

/** Queues the ticks within the periods of the instance, once: only one process advances `nextTickAt`. */
export async function queueTicks(
  db: Db,
  due: DueTick,
  times: readonly number[],
  nextTickAt: number,
  now: number,
): Promise<void> {
  const texts = times.map((time) => new Date(time).toISOString());
  await db.prepared(
    sql`with moved as (
        update score_lane s set next_tick_at = ${nextTickAt}
        where s.tenant_id = ${due.tenantId} and s.license_instance_id = ${due.instanceId}
          and s.next_tick_at = ${due.nextTickAt} returning s.tenant_id, s.license_instance_id),
      queued as (
        insert into score_work (tenant_id, license_instance_id, type, at, created_at, data)
        select s.tenant_id, s.license_instance_id, 'tick', t.at, ${now},
          jsonb_build_object('type', 'tick', 'timestamp', t.at)
        from moved s, unnest(${times}::bigint[], ${texts}::text[]) t(at, time)
        where exists (
          select from license_instance_meta m where m.tenant_id = s.tenant_id
            and m.license_instance_id = s.license_instance_id and m.status = 'ACTIVE' and m.started_at <= t.time
            and (m.expired_at is null or t.time < m.expired_at))
        order by t.at returning 1)
      select announce('vigil_score') from queued limit 1`,
  );
}

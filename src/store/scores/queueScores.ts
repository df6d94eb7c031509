import { storableJson } from '../../lib/json.ts';
import { type Sql, sql } from '../../lib/sql.ts';
import type { AlertEvent } from '../../model/score.ts';
import type { Db } from '../db/db.ts';
import { awaitPrepared } from '../db/shards/awaitPrepared.ts';
import { perTenant } from '../db/shards/perTenant.ts';

/** An alert to queue; the store adds the name of its detector schema. */
export type QueuedAlert = Omit<AlertEvent, 'detectorSchemaName'>;

/** Those of these projects that an active license scores. */
export async function findScoredProjects(
  db: Db,
  projects: readonly { tenantId: number; projectId: number }[],
): Promise<Set<number>> {
  const distinct = [...new Map(projects.map((one) => [`${one.tenantId} ${one.projectId}`, one])).values()];
  const rows = await db.prepared<{ id: number }>(
    sql`select p.id from unnest(${distinct.map(({ tenantId }) => tenantId)}::bigint[],
        ${distinct.map(({ projectId }) => projectId)}::bigint[]) p(tenant_id, id)
      where exists (select from license_instance i join license l on l.id = i.license_id
        where i.tenant_id = p.tenant_id and i.project_id = p.id and ${isScoring})`,
  );
  return new Set(rows.map(({ id }) => id));
}

const isScoring = sql`i.status = 'ACTIVE' and i.license_status = 'LICENCED' and l.status = 'ACTIVE'
  and l.score_script is not null`;

/**
 * Queues alerts for every license instance of their project whose periods contain them. The roll-ups of the tenant, written
 * before, serialise its transactions, so that the order of ids is the order of commits.
 */
export async function queueAlerts(tx: Db, alerts: readonly QueuedAlert[], now: number): Promise<void> {
  const rows = alerts.map((event) => ({ ...event, time: new Date(event.timestamp).toISOString(), event }));
  await tx.prepared(
    sql`with queued as (
        insert into score_work (tenant_id, license_instance_id, type, at, created_at, alert_uid, alert_timestamp, data)
        select i.tenant_id, i.id, 'alert', a.timestamp, ${now}, a.uid, a.timestamp,
          a.event || jsonb_build_object('detectorSchemaName', d.name)
        from rows from (jsonb_to_recordset(${storableJson(rows)}::jsonb) as ("tenantId" bigint, "projectId" bigint,
            "detectorId" bigint, uid uuid, timestamp bigint, time text, event jsonb))
          with ordinality a (tenant_id, project_id, detector_id, uid, timestamp, time, event, n)
        join license_instance i on i.tenant_id = a.tenant_id and i.project_id = a.project_id
        join license l on l.id = i.license_id
        left join lateral (select s.name from detector d join detector_schema s on s.id = d.schema_id
          where d.tenant_id = a.tenant_id and d.id = a.detector_id) d on true
        where ${isScoring} and exists (
          select from license_instance_meta m where m.tenant_id = i.tenant_id and m.license_instance_id = i.id
            and m.status = 'ACTIVE' and m.started_at <= a.time and (m.expired_at is null or a.time < m.expired_at))
        order by a.n, i.id returning tenant_id, license_instance_id),
      lanes as (
        insert into score_lane (tenant_id, license_instance_id)
        select distinct tenant_id, license_instance_id from queued on conflict do nothing)
      select announce('vigil_score') from queued limit 1`,
  );
}

type Touched = {
  tenantId: number;
  uid: string;
  timestamp: number;
  instanceId: number;
  id?: number;
  i?: number;
};

/** Queues the undoing of these alerts, scored or still queued; the last scored first, which needs the least recomputation. */
export async function queueRetractions(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string; timestamp: number }[],
  now: number,
): Promise<void> {
  // In this order: what is scored in between has left the queue for the changes, and would be in neither the other way round.
  const waiting = await tx.prepared<Touched>(
    sql`select g.tenant_id as "tenantId", g.uid::text, g.timestamp, w.license_instance_id as "instanceId", w.id
      from ${retractedRows(alerts)}
      join score_work w on w.tenant_id = g.tenant_id and w.alert_uid = g.uid and w.type = 'alert'`,
  );
  await awaitPrepared(
    tx,
    alerts.map(({ tenantId }) => tenantId),
  );
  const scored = await perTenant(tx, alerts, (of, ofTenant) =>
    tx.prepared<Touched>(
      sql`select g.tenant_id as "tenantId", g.uid::text, g.timestamp, c.license_instance_id as "instanceId", c.i
        from ${retractedRows(of)}
        join score_change c on c.tenant_id = g.tenant_id and c.timestamp = g.timestamp and c.alert_id = g.uid::text
          and c.type = 'alert' and c.undone_by is null and ${ofTenant('c')}`,
    ),
  );
  const touched = [...waiting, ...scored];
  if (touched.length === 0) return;
  await tx.prepared(
    sql`with touched as (
        select * from unnest(${touched.map(({ tenantId }) => tenantId)}::bigint[],
          ${touched.map(({ uid }) => uid)}::uuid[], ${touched.map(({ timestamp }) => timestamp)}::bigint[],
          ${touched.map(({ instanceId }) => instanceId)}::bigint[], ${touched.map(({ id }) => id ?? null)}::bigint[],
          ${touched.map(({ i }) => i ?? null)}::bigint[]) t(tenant_id, uid, timestamp, license_instance_id, id, i)),
      queued as (
        insert into score_work (tenant_id, license_instance_id, type, at, created_at, alert_uid, alert_timestamp, data)
        select tenant_id, license_instance_id, 'retraction', ${now}, ${now}, uid, timestamp, '{}' from touched
        group by tenant_id, license_instance_id, uid, timestamp
        order by max(id) desc nulls last, max(i) desc returning 1)
      select announce('vigil_score') from queued limit 1`,
  );
}

function retractedRows(alerts: readonly { tenantId: number; uid: string; timestamp: number }[]): Sql {
  return sql`unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[],
    ${alerts.map(({ timestamp }) => timestamp)}::bigint[]) g(tenant_id, uid, timestamp)`;
}

/** Deletes the queued work of deleted instances. */
export async function purgeScoreQueues(db: Db): Promise<void> {
  await db.query(
    sql`delete from score_work w using license_instance i
      where i.tenant_id = w.tenant_id and i.id = w.license_instance_id and i.status = 'DELETED'`,
  );
}

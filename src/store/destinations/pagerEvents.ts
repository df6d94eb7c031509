import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { belongsTo, type IncidentSpan } from '../search/documents/belongsTo.ts';

type Pager = { tenantId: number; destinationId: number };

/** False if the event came before. */
export async function markPagerEvent(
  tx: Db,
  { tenantId, destinationId }: Pager,
  eventId: string,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    sql`insert into pager_event (tenant_id, destination_id, event_id, at)
      values (${tenantId}, ${destinationId}, ${eventId}, ${now}) on conflict do nothing returning 1`,
  );
  return rows.length > 0;
}

/** Records the newest event about an incident. False if a newer one came before. */
export async function advancePager(
  tx: Db,
  { tenantId, destinationId }: Pager,
  { incidentUid, occurredAt }: { incidentUid: string; occurredAt: number },
): Promise<boolean> {
  const rows = await tx.query(
    sql`insert into pager_state as s (tenant_id, destination_id, incident_uid, occurred_at)
      values (${tenantId}, ${destinationId}, ${incidentUid}::uuid, ${occurredAt})
      on conflict (tenant_id, destination_id, incident_uid) do update set occurred_at = excluded.occurred_at
        where s.occurred_at <= excluded.occurred_at returning 1`,
  );
  return rows.length > 0;
}

/** Remembers, or forgets, the acknowledgement that the pager brought. */
export async function setPagerAcknowledgement(
  tx: Db,
  { tenantId, destinationId }: Pager,
  incidentUid: string,
  acknowledgedAt: number | null,
): Promise<void> {
  await tx.query(
    sql`update pager_state set acknowledged_at = ${acknowledgedAt}::bigint
      where tenant_id = ${tenantId} and destination_id = ${destinationId} and incident_uid = ${incidentUid}::uuid`,
  );
}

export async function findPagerAcknowledgement(
  db: Db,
  { tenantId, destinationId }: Pager,
  incidentUid: string,
): Promise<number | null> {
  const rows = await db.query<{ acknowledgedAt: number | null }>(
    sql`select acknowledged_at as "acknowledgedAt" from pager_state
      where tenant_id = ${tenantId} and destination_id = ${destinationId} and incident_uid = ${incidentUid}::uuid`,
  );
  return rows[0]?.acknowledgedAt ?? null;
}

/**
 * A condition on the alerts `t` of an incident of which the pager knew at a time. What it resolved then is not what it got
 * later: that would hide a new alert.
 */
export async function knownToPager(
  db: Db,
  incident: IncidentSpan,
  destinationId: number,
  at: number,
): Promise<Sql> {
  // One after the other, because deliveries are not beside the alerts on Citus.
  const alerts = await db.query<{ uid: string }>(
    sql`select t.uid::text from alert t where ${belongsTo(incident)} and not t.is_resolved`,
  );
  const later = await db.query<{ uid: string }>(
    sql`select distinct d.alert_uid::text as uid from delivery d
      where d.tenant_id = ${incident.tenantId} and d.alert_uid = any(${alerts.map(({ uid }) => uid)}::uuid[])
        and d.destination_id = ${destinationId} and d.type like '%.raised'
        and coalesce(d.delivered_at, d.created_at) > ${at}`,
  );
  return sql`${belongsTo(incident)} and t.timestamp <= ${at} and t.uid <> all(${later.map(({ uid }) => uid)}::uuid[])`;
}

/** Events are refused by their time long before they are forgotten here. */
export async function purgePagerEvents(db: Db, eventsBefore: number, statesBefore: number): Promise<void> {
  for (const [table, column, before] of [
    ['pager_event', 'at', eventsBefore],
    ['pager_state', 'occurred_at', statesBefore],
  ] as const)
    await inChunks(async (limit) => {
      const rows = await db.query<{ count: number }>(
        sql`with gone as (delete from ${raw(table)} where ctid = any(array(
            select ctid from ${raw(table)} where ${raw(column)} < ${before} limit ${limit})) returning 1)
          select count(*) as count from gone`,
      );
      return rows[0]?.count ?? 0;
    });
}

import { type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { insertUpdatedDeliveries } from '../destinations/followUps.ts';
import { cancelRepeats, resumeRepeats } from '../destinations/routeGroups.ts';
import { endAnswered, resumeEscalations } from '../onCall/answers.ts';
import { incidentUidSql } from '../search/documents/incidentUidSql.ts';
import { insertAlertEvents } from './alertEvents.ts';

/** `by` is a name for people; `byId` is null where no user did it. Without `until` it holds until someone takes it back. */
export type Acknowledgement = { at: number; by: string; byId: number | null; until: number | null };

const none: Acknowledgement | Record<'at' | 'by' | 'byId' | 'until', null> = {
  at: null,
  by: null,
  byId: null,
  until: null,
};

/**
 * Acknowledges the alerts that match the condition, or takes that back, and notifies webhooks and streams; returns how many
 * changed. The first acknowledgement of an alert counts for the quality of its detector.
 */
export async function acknowledgeAlerts(
  tx: Db,
  condition: Sql,
  acknowledgement: Acknowledgement | undefined,
  now: number,
): Promise<number> {
  const { at, by, byId, until } = acknowledgement ?? none;
  const changed = await tx.query<{
    tenantId: number;
    uid: string;
    incidentUid: string | null;
    detectorId: number | null;
    timestamp: number;
  }>(
    sql`update alert t set acknowledged_at = ${at}::bigint, acknowledged_by = ${by}::text,
        acknowledged_by_id = ${byId}::bigint, acknowledged_until = ${until}::bigint
      where ${condition} and t.retracted_at is null
        and (${at}::bigint is not null or t.acknowledged_at is not null)
      returning t.tenant_id as "tenantId", t.uid::text, ${incidentUidSql}::text as "incidentUid",
        t.detector_id as "detectorId", t.timestamp`,
  );
  const news = { acknowledged: at !== null, acknowledgedAt: at, acknowledgedBy: by };
  await insertUpdatedDeliveries(
    tx,
    changed,
    { ...news, acknowledgedById: byId, acknowledgedUntil: until },
    now,
  );
  await insertAlertEvents(tx, 'changed', changed);
  await (at === null ? resumeRepeats : cancelRepeats)(tx, changed, now);
  if (at !== null) {
    await endAnswered(tx, changed, now);
    const timed = changed.flatMap((alert) =>
      alert.detectorId === null ? [] : [{ ...alert, took: Math.max(0, at - alert.timestamp) }],
    );
    await tx.query(
      sql`insert into detector_acknowledgement (tenant_id, detector_id, alert_uid, at, took_ms)
        select k.tenant_id, k.detector_id, k.uid, ${at}, k.took
        from unnest(${timed.map(({ tenantId }) => tenantId)}::bigint[],
          ${timed.map(({ detectorId }) => detectorId)}::bigint[], ${timed.map(({ uid }) => uid)}::uuid[],
          ${timed.map(({ took }) => took)}::bigint[]) k(tenant_id, detector_id, uid, took)
        on conflict do nothing`,
    );
  } else await resumeEscalations(tx, changed, now);
  return changed.length;
}

/** The row of the incident is there. Alerts that come later are covered as long as none is worse than all before. */
export async function acknowledgeIncidentRow(
  tx: Db,
  { tenantId, uid }: { tenantId: number; uid: string },
  acknowledgement: Acknowledgement | undefined,
  now: number,
): Promise<void> {
  const { at, by, byId, until } = acknowledgement ?? none;
  await tx.query(
    sql`update incident i set acknowledged_at = ${at}::bigint, acknowledged_by = ${by}::text,
        acknowledged_by_id = ${byId}::bigint, acknowledged_until = ${until}::bigint,
        acknowledged_severity = case when ${at}::bigint is not null then i.numeric_severity end, updated_at = ${now}
      where i.tenant_id = ${tenantId} and i.uid = ${uid}::uuid`,
  );
  await (at === null ? resumeEscalations : endAnswered)(tx, [{ tenantId, uid }], now);
}

/** Gives new alerts of acknowledged incidents the acknowledgement of these. */
export async function coverAlerts(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string; timestamp: number; incidentUid: string }[],
): Promise<void> {
  if (alerts.length === 0) return;
  await perTenant(tx, alerts, (of, ofTenant) =>
    tx.query(
      sql`update alert t set acknowledged_at = i.acknowledged_at, acknowledged_by = i.acknowledged_by,
          acknowledged_by_id = i.acknowledged_by_id, acknowledged_until = i.acknowledged_until
        from unnest(${of.map(({ tenantId }) => tenantId)}::bigint[], ${of.map(({ uid }) => uid)}::uuid[],
          ${of.map(({ timestamp }) => timestamp)}::bigint[], ${of.map(({ incidentUid }) => incidentUid)}::uuid[])
          k(tenant_id, uid, timestamp, incident_uid)
        join incident i on i.tenant_id = k.tenant_id and i.uid = k.incident_uid and i.acknowledged_at is not null
          and ${ofTenant('i')}
        where t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid and ${ofTenant('t')}`,
    ),
  );
}

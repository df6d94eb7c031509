import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/**
 * Cancels unsent deliveries of these alerts, and notifies every destination that may have received one of the retraction,
 * also when the receiver accepted the message but failed to respond.
 */
export async function retractDeliveries(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string; reason?: string }[],
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`with affected as (
        select d.tenant_id, d.id, d.state, a.reason, d.state = 'DELIVERED' or d.attempts > 0
          or d.lease_until is not null as may_be_received
        from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
          ${alerts.map(({ uid }) => uid)}::uuid[],
          ${alerts.map(({ reason }) => reason ?? null)}::text[]) a(tenant_id, uid, reason)
        join delivery d on d.tenant_id = a.tenant_id and d.alert_uid = a.uid
        where d.type <> 'alert.retracted' and d.state <> 'CANCELED'
        order by d.id for update of d),
      canceled as (
        update delivery d set state = 'CANCELED', updated_at = ${now},
          last_error = 'The alert was retracted before it was sent.'
        from affected where d.tenant_id = affected.tenant_id and d.id = affected.id and affected.state = 'PENDING'),
      written as (
        insert into delivery (tenant_id, uid, destination_id, type, data, alert_uid, alert_timestamp, contract_id,
          incident_uid, next_attempt_at, created_at, updated_at)
        select sent.tenant_id, gen_random_uuid(), sent.destination_id, 'alert.retracted',
          sent.data || jsonb_build_object('status', 'RETRACTED', 'retractedAt', ${now}::bigint,
            'retractionReason', sent.reason),
          sent.alert_uid, sent.alert_timestamp, sent.contract_id, sent.incident_uid, ${now}, ${now}, ${now}
        from (
          -- An alert that is raised again and retracted again is retracted as often as it was sent.
          select distinct on (d.destination_id, d.alert_uid) d.*, affected.reason
          from affected join delivery d on d.tenant_id = affected.tenant_id and d.id = affected.id
          where affected.may_be_received order by d.destination_id, d.alert_uid, d.id desc) sent
        join destination x on x.tenant_id = sent.tenant_id and x.id = sent.destination_id and x.status = 'ACTIVE'
        where not exists (
          select from delivery later where later.tenant_id = sent.tenant_id and later.alert_uid = sent.alert_uid
            and later.destination_id = sent.destination_id and later.type = 'alert.retracted' and later.id > sent.id)
        order by sent.id returning 1)
      select pg_notify('vigil_work', '') from written limit 1`,
  );
}

/** Notifies every destination of the alerts' deliveries that they are resolved; the transaction has locked the alerts. */
export async function insertResolvedDeliveries(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
  now: number,
): Promise<void> {
  if (alerts.length === 0) return;
  await tx.query(
    sql`with resolved as (
        select * from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
          ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid)),
      written as (
        insert into delivery (tenant_id, uid, destination_id, type, data, alert_uid, alert_timestamp, contract_id,
          incident_uid, next_attempt_at, created_at, updated_at)
        select sent.tenant_id, gen_random_uuid(), sent.destination_id, 'alert.resolved',
          sent.data || jsonb_build_object('status', 'RESOLVED'),
          sent.alert_uid, sent.alert_timestamp, sent.contract_id, sent.incident_uid, ${now}, ${now}, ${now}
        from (
          select distinct on (d.destination_id, d.alert_uid) d.* from resolved
          join delivery d on d.tenant_id = resolved.tenant_id and d.alert_uid = resolved.uid
          where d.type like '%.raised' and d.state in ('PENDING', 'DELIVERED')
          order by d.destination_id, d.alert_uid, d.id desc) sent
        join destination x on x.tenant_id = sent.tenant_id and x.id = sent.destination_id and x.status = 'ACTIVE'
        order by sent.id returning 1)
      select pg_notify('vigil_work', '') from written limit 1`,
  );
}

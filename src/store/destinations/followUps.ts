import { storableJson } from '../../lib/json.ts';
import { empty, type Sql, sql } from '../../lib/sql.ts';
import type { EventType } from '../../model/notification.ts';
import type { Db } from '../db/db.ts';
import { hasCallbackType } from '../tables/kindConditions.ts';
import { restoreMessages } from './archivedMessages.ts';
import { messageData } from './claimDeliveries.ts';
import { enqueue, queueColumns } from './insertDeliveries.ts';

/**
 * Cancels unsent deliveries of these alerts, and notifies every destination that may have received one of the retraction,
 * also when the receiver accepted the message but failed to respond.
 */
export async function retractDeliveries(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string; reason?: string }[],
  now: number,
): Promise<void> {
  await restoreMessages(tx, deliveriesOf(alerts), now);
  await tx.prepared(
    sql`with affected as (
        select d.*, a.reason
        from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
          ${alerts.map(({ uid }) => uid)}::uuid[],
          ${alerts.map(({ reason }) => reason ?? null)}::text[]) a(tenant_id, uid, reason)
        join delivery d on d.tenant_id = a.tenant_id and d.alert_uid = a.uid
        where d.type <> 'alert.retracted' and d.state <> 'CANCELED'
          -- Those of a chain are cancelled with it: its incident may have another open alert.
          and (d.state <> 'PENDING' or d.escalation_id is null)
        order by d.id for update of d),
      -- Locked too, so that no one claims what is cancelled here unseen.
      claimed as (
        select q.tenant_id, q.id, q.lease_until from delivery_queue q
        join affected on affected.tenant_id = q.tenant_id and affected.id = q.id for update of q),
      dequeued as (
        delete from delivery_queue q using claimed where q.tenant_id = claimed.tenant_id and q.id = claimed.id),
      canceled as (
        update delivery d set state = 'CANCELED', updated_at = ${now},
          last_error = 'The alert was retracted before it was sent.'
        from affected where d.tenant_id = affected.tenant_id and d.id = affected.id and affected.state = 'PENDING'),
      sent as (
        -- An alert that is raised again and retracted again is retracted as often as it was sent.
        select distinct on (d.destination_id, d.alert_uid) d.*
        from affected d left join claimed q on q.tenant_id = d.tenant_id and q.id = d.id
        where d.state = 'DELIVERED' or d.attempts > 0 or q.lease_until is not null
        order by d.destination_id, d.alert_uid, d.id desc),
      ${insertFollowUps(
        'alert.retracted',
        sql`jsonb_build_object('status', 'RETRACTED', 'retractedAt', ${now}::bigint, 'retractionReason', d.reason)`,
        now,
        sql`where not exists (
          select from delivery later where later.tenant_id = d.tenant_id and later.alert_uid = d.alert_uid
            and later.destination_id = d.destination_id and later.type = 'alert.retracted' and later.id > d.id)`,
      )}`,
  );
}

/** Notifies every destination of the alerts' deliveries that they are resolved; the transaction has locked the alerts. */
export async function insertResolvedDeliveries(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
  now: number,
): Promise<void> {
  if (alerts.length === 0) return;
  await restoreMessages(tx, deliveriesOf(alerts), now);
  await tx.query(
    sql`with resolved as (
        select * from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
          ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid)),
      sent as (
        select distinct on (d.destination_id, d.alert_uid) d.* from resolved
        join delivery d on d.tenant_id = resolved.tenant_id and d.alert_uid = resolved.uid
        where (d.type like '%.raised' or d.type = 'alert.repeated') and d.state in ('PENDING', 'DELIVERED')
        order by d.destination_id, d.alert_uid, d.id desc),
      ${insertFollowUps('alert.resolved', sql`jsonb_build_object('status', 'RESOLVED')`, now)}`,
  );
}

/** Notifies the webhooks and pagers that got these alerts of what is new about them; people see it in the console. */
export async function insertUpdatedDeliveries(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
  news: Readonly<Record<string, unknown>>,
  now: number,
): Promise<void> {
  await insertUpdates(tx, alerts, news, sql`x.type = 'HTTP' or ${hasCallbackType()}`, now);
}

/** Notifies the pagers that got these alerts that they are open again. */
export async function insertReopenedDeliveries(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
  now: number,
): Promise<void> {
  await insertUpdates(tx, alerts, { status: 'UNRESOLVED', reopened: true }, hasCallbackType(), now);
}

async function insertUpdates(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
  news: Readonly<Record<string, unknown>>,
  receivers: Sql,
  now: number,
): Promise<void> {
  if (alerts.length === 0) return;
  await restoreMessages(tx, deliveriesOf(alerts), now);
  await tx.query(
    sql`with updated as (
        select * from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
          ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid)),
      sent as (
        select distinct on (d.destination_id, d.alert_uid) d.* from updated
        join delivery d on d.tenant_id = updated.tenant_id and d.alert_uid = updated.uid
        where d.type like '%.raised' and d.state in ('PENDING', 'DELIVERED')
        order by d.destination_id, d.alert_uid, d.id desc),
      ${insertFollowUps('alert.updated', sql`${storableJson(news)}::jsonb`, now, sql`where ${receivers}`)}`,
  );
}

const deliveriesOf = (alerts: readonly { tenantId: number; uid: string }[]) => sql`unnest(
    ${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid)
  join delivery d on d.tenant_id = k.tenant_id and d.alert_uid = k.uid where true`;

/** Writes deliveries that follow those of `sent (d)`: to the same destinations, with what was said then and what is new. */
function insertFollowUps(type: EventType, news: Sql, now: number, where: Sql = empty): Sql {
  return sql`following as materialized (
      select nextval(pg_get_serial_sequence('delivery_message', 'id')) as new_message_id, d.*,
        ${messageData} || ${news} as new_data
      from sent d
      join destination x on x.tenant_id = d.tenant_id and x.id = d.destination_id and x.status = 'ACTIVE' ${where}),
    message as (
      insert into delivery_message (tenant_id, id, created_at, data)
      select tenant_id, new_message_id, ${now}, new_data from following order by id),
    written as (
      insert into delivery (tenant_id, uid, destination_id, type, message_id, alert_uid, incident_uid, next_attempt_at,
        created_at, updated_at)
      select tenant_id, gen_random_uuid(), destination_id, ${type}::text, new_message_id, alert_uid, incident_uid,
        ${now}, ${now}, ${now}
      from following order by id returning ${queueColumns})
    ${enqueue(sql`written`)}`;
}

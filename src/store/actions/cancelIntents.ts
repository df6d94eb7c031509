import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { haltedReason, retractedReason } from './insertIntents.ts';

/** An attacker who pays more sends another transaction: a call under way is not called off before that one was looked at. */
const replacedGraceMs = 3000;

/** Cancels the unsigned intents of these alerts; what was signed to come before a pending transaction is called off. */
export async function cancelRetracted(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string; reason?: string }[],
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`update action_intent i set state = case i.state when 'WAITING' then 'CANCELED' else i.state end,
        reason = case i.state when 'WAITING' then ${retractedReason}::text else i.reason end,
        unwanted_at = case i.state when 'WAITING' then null else ${now}::bigint + a.grace end,
        next_attempt_at = case i.state when 'WAITING' then i.next_attempt_at else ${now}::bigint + a.grace end,
        updated_at = case i.state when 'WAITING' then ${now}::bigint else i.updated_at end
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ uid }) => uid)}::uuid[],
        ${alerts.map(({ reason }) => (reason === 'REPLACED' ? replacedGraceMs : 0))}::bigint[],
        ${alerts.map(({ reason }) => reason !== 'REORGANISED')}::boolean[]) a(tenant_id, uid, grace, vanished)
      where i.tenant_id = a.tenant_id and i.alert_uid = a.uid and (i.state = 'WAITING'
        or i.state in ('SIGNED', 'SUBMITTED') and i.fire_at = 'pending' and a.vanished)`,
  );
}

/** The tenant's kill switch: no action fires from now on, and unsigned intents are cancelled. */
export async function haltActions(tx: Db, tenantId: number, now: number): Promise<{ canceled: number }> {
  await tx.query(
    sql`update tenant set halted_at = coalesce(halted_at, ${now}), halt_count = halt_count + 1 where id = ${tenantId}`,
  );
  const rows = await tx.query(
    sql`update action_intent set state = 'CANCELED', reason = ${haltedReason}, updated_at = ${now}
      where tenant_id = ${tenantId} and state = 'WAITING' returning 1`,
  );
  return { canceled: rows.length };
}

export async function resumeActions(tx: Db, tenantId: number): Promise<void> {
  await tx.query(sql`update tenant set halted_at = null where id = ${tenantId}`);
}

export async function findHaltedAt(db: Db, tenantId: number): Promise<number | null> {
  const [row] = await db.query<{ haltedAt: number | null }>(
    sql`select halted_at as "haltedAt" from tenant where id = ${tenantId}`,
  );
  return row?.haltedAt ?? null;
}

/**
 * Lets a call under way answer the transaction that replaced its first one: its intent takes over the alert of this
 * intent, which goes. False when there is no such call.
 */
export async function takeOverCall(
  tx: Db,
  { tenantId, id }: { tenantId: number; id: number },
  { to, data }: { to: string; data: string },
  now: number,
): Promise<boolean> {
  const rows = await tx.prepared(
    sql`with own as (
        select * from action_intent where tenant_id = ${tenantId} and id = ${id} and state = 'WAITING' for update),
      sent as (
        select i.tenant_id, i.id, own.alert_uid, own.alert_timestamp from own join action_intent i
          on i.tenant_id = own.tenant_id and i.action_id = own.action_id and i.binding = own.binding
        where i.state in ('SIGNED', 'SUBMITTED') and i.unwanted_at is not null
          and i.call ->> 'to' = ${to} and i.call ->> 'data' = ${data}
          and not exists (select from action_transaction a where a.tenant_id = i.tenant_id and a.intent_id = i.id
            and a.is_void)
        order by i.id limit 1 for update of i),
      gone as (delete from action_intent i using sent where i.tenant_id = ${tenantId} and i.id = ${id} returning 1)
      select sent.id, sent.alert_uid::text as "alertUid", sent.alert_timestamp as "alertTimestamp" from sent, gone`,
  );
  const [taken] = rows as { id: number; alertUid: string; alertTimestamp: number }[];
  if (!taken) return false;
  await tx.prepared(
    sql`update action_intent set alert_uid = ${taken.alertUid}::uuid, alert_timestamp = ${taken.alertTimestamp},
        unwanted_at = null, next_attempt_at = ${now}, lease_until = null
      where tenant_id = ${tenantId} and id = ${taken.id}`,
  );
  return true;
}

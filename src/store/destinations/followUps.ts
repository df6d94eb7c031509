import { type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/**
 * What is not sent yet is cancelled. Whoever may have heard of the alert, a receiver that took a message and failed to say
 * so included, is told that it did not happen.
 */
export async function retractDeliveries(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`with gone as (
        select d.tenant_id, d.id, d.state, d.state = 'DELIVERED' or d.attempts > 0
          or d.lease_until is not null as is_told
        from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
          ${alerts.map(({ uid }) => uid)}::uuid[]) a(tenant_id, uid)
        join delivery d on d.tenant_id = a.tenant_id and d.alert_uid = a.uid
        where d.type <> 'alert.retracted' and d.state <> 'CANCELED'
        order by d.id for update of d),
      canceled as (
        update delivery d set state = 'CANCELED', updated_at = ${now},
          last_error = 'The alert was retracted before it was sent.'
        from gone where d.tenant_id = gone.tenant_id and d.id = gone.id and gone.state = 'PENDING'),
      written as (
        insert into delivery (tenant_id, uid, destination_id, type, data, alert_uid, alert_timestamp, contract_id,
          next_attempt_at, created_at, updated_at)
        select told.tenant_id, gen_random_uuid(), told.destination_id, 'alert.retracted',
          told.data || jsonb_build_object('status', 'RETRACTED', 'retractedAt', ${now}::bigint),
          told.alert_uid, told.alert_timestamp, told.contract_id, ${now}, ${now}, ${now}
        from (
          -- An alert that came back and goes again is taken back as often as it was told.
          select distinct on (d.destination_id, d.alert_uid) d.*
          from gone join delivery d on d.tenant_id = gone.tenant_id and d.id = gone.id
          where gone.is_told order by d.destination_id, d.alert_uid, d.id desc) told
        join destination x on x.tenant_id = told.tenant_id and x.id = told.destination_id and x.status = 'ACTIVE'
        where not exists (
          select from delivery later where later.tenant_id = told.tenant_id and later.alert_uid = told.alert_uid
            and later.destination_id = told.destination_id and later.type = 'alert.retracted' and later.id > told.id)
        order by told.id returning 1)
      select pg_notify('vigil_work', '') from written limit 1`,
  );
}

/** Whoever was told of the alerts, or is about to be, hears that they are resolved. `condition` is on alerts as `t`. */
export async function tellResolved(tx: Db, condition: Sql, now: number): Promise<void> {
  await tx.query(
    sql`with resolved as (
        select t.tenant_id, t.uid from alert t
        where ${condition} and not t.is_resolved and t.retracted_at is null
          and exists (select from delivery d where d.tenant_id = t.tenant_id and d.alert_uid = t.uid)
        for update of t),
      written as (
        insert into delivery (tenant_id, uid, destination_id, type, data, alert_uid, alert_timestamp, contract_id,
          next_attempt_at, created_at, updated_at)
        select told.tenant_id, gen_random_uuid(), told.destination_id, 'alert.resolved',
          told.data || jsonb_build_object('status', 'RESOLVED'),
          told.alert_uid, told.alert_timestamp, told.contract_id, ${now}, ${now}, ${now}
        from (
          select distinct on (d.destination_id, d.alert_uid) d.* from resolved
          join delivery d on d.tenant_id = resolved.tenant_id and d.alert_uid = resolved.uid
          where d.type like '%.raised' and d.state in ('PENDING', 'DELIVERED')
          order by d.destination_id, d.alert_uid, d.id desc) told
        join destination x on x.tenant_id = told.tenant_id and x.id = told.destination_id and x.status = 'ACTIVE'
        order by told.id returning 1)
      select pg_notify('vigil_work', '') from written limit 1`,
  );
}

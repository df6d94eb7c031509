import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { RaisedAlert } from '../../model/alert.ts';
import type { Db } from '../db/db.ts';

/** The part of an alert that its decision needs beside the document. */
export type UndecidedAlert = Pick<RaisedAlert, 'uid' | 'incident'> & {
  finding: Pick<RaisedAlert['finding'], 'tenantId' | 'timestamp'>;
};

/** Leaves alerts to be decided after this transaction, by the rules of that time. */
export async function insertUndecided(tx: Db, alerts: readonly UndecidedAlert[], now: number): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`insert into undecided_alert (tenant_id, alert_uid, raised_at, raised)
      select r.tenant_id, r.alert_uid, ${now}, r.raised
      from jsonb_to_recordset(${storableJson(
        alerts.map((raised) => ({
          tenant_id: raised.finding.tenantId,
          alert_uid: raised.uid,
          raised,
        })),
      )}::jsonb) r(tenant_id bigint, alert_uid uuid, raised jsonb)
      order by r.tenant_id, r.alert_uid
      on conflict (tenant_id, alert_uid) do update set raised_at = excluded.raised_at, raised = excluded.raised`,
  );
}

export const isUndecidedDue = sql`exists (select from undecided_alert)`;

/** The tenants with undecided alerts, those that wait longest first. */
export async function listUndecidedTenants(db: Db): Promise<number[]> {
  const rows = await db.prepared<{ tenantId: number }>(
    sql`select tenant_id as "tenantId" from undecided_alert group by 1 order by min(raised_at)`,
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** Takes the oldest undecided alerts of a tenant. They stay if the transaction fails, and no other process takes them meanwhile. */
export async function takeUndecided(
  tx: Db,
  tenantId: number,
  limit: number,
): Promise<{ raised: RaisedAlert; raisedAt: number }[]> {
  return tx.prepared<{ raised: RaisedAlert; raisedAt: number }>(
    sql`with taken as (
        delete from undecided_alert where tenant_id = ${tenantId} and alert_uid in (
          select alert_uid from undecided_alert where tenant_id = ${tenantId}
          order by raised_at, alert_uid limit ${limit} for update skip locked)
        returning alert_uid, raised_at, raised)
      select raised, raised_at as "raisedAt" from taken order by raised_at, alert_uid`,
  );
}

/** Nothing is left to decide of these. Waits for a transaction that decides one, whose deliveries the caller then sees. */
export async function deleteUndecided(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`delete from undecided_alert u
      using (select * from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid) order by 1, 2) k
      where u.tenant_id = k.tenant_id and u.alert_uid = k.uid`,
  );
}

export async function isUndecided(
  db: Db,
  { tenantId, uid }: { tenantId: number; uid: string },
): Promise<boolean> {
  const rows = await db.prepared(
    sql`select 1 from undecided_alert where tenant_id = ${tenantId} and alert_uid = ${uid}::uuid`,
  );
  return rows.length > 0;
}

import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { RetractionReason } from '../../model/alert.ts';
import { awaitPrepared } from '../citus/awaitPrepared.ts';
import { perTenant } from '../citus/perTenant.ts';
import type { Db } from '../db.ts';
import { incidentUidSql } from './incidentUidSql.ts';
import { blockHashSql } from './packedHashes.ts';
import { addToRollups, countAlerts } from './rollups.ts';

export type Block = { number: number; hash: string };

export type RetractedAlert = {
  uid: string;
  tenantId: number;
  contractId: number;
  timestamp: number;
  group: string;
  numericSeverity: number;
  isResolved: boolean;
  incidentUid: string | null;
  reason: RetractionReason;
};

/**
 * Retracts the alerts of these blocks, or of these tenants in them, and subtracts them from the roll-ups; skips those already
 * retracted.
 */
export async function retractAlertsIn(
  tx: Db,
  chainUid: string,
  blocks: readonly Block[],
  now: number,
  tenantIds?: readonly number[],
): Promise<RetractedAlert[]> {
  // Blocks that the coordinator knows of may have alerts that a worker does not show yet.
  await awaitPrepared(tx, tenantIds ?? []);
  const own = tenantIds ? sql`t.tenant_id = any(${tenantIds}::bigint[])` : raw('true');
  const found = sql`unnest(${blocks.map(({ number }) => number)}::bigint[],
      ${blocks.map(({ hash }) => hash)}::text[]) b(number, hash)
    where t.chain_uid = ${chainUid} and t.block_number = b.number and ${blockHashSql} = b.hash and ${own}`;
  return retract(tx, found, 'REORGANISED', now);
}

/** The same of these alerts. */
export async function retractAlerts(
  tx: Db,
  all: readonly { tenantId: number; timestamp: number; uid: string }[],
  reason: RetractionReason,
  now: number,
): Promise<RetractedAlert[]> {
  await awaitPrepared(
    tx,
    all.map(({ tenantId }) => tenantId),
  );
  return perTenant(tx, all, (alerts, ofTenant) => {
    const found = sql`unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
      ${alerts.map(({ timestamp }) => timestamp)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[])
      k(tenant_id, timestamp, uid)
    where t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid and ${ofTenant('t')}`;
    return retract(tx, found, reason, now);
  });
}

async function retract(tx: Db, found: Sql, reason: RetractionReason, now: number): Promise<RetractedAlert[]> {
  const update = sql`update alert t set retracted_at = ${now}, retraction_reason = ${reason}
    from ${found} and t.retracted_at is null`;
  if (await tx.isDistributed()) {
    const retracted = await tx.prepared<RetractedAlert>(
      sql`${update} returning t.uid, t.tenant_id as "tenantId", t.contract_id as "contractId", t.timestamp,
        t.alert_group as "group", t.numeric_severity as "numericSeverity", t.is_resolved as "isResolved",
        ${incidentUidSql}::text as "incidentUid", t.retraction_reason as reason`,
    );
    await countAlerts(tx, retracted, -1);
    return retracted;
  }
  return tx.prepared<RetractedAlert>(
    sql`with retracted as (
        ${update}
        returning t.uid, t.tenant_id, t.contract_id, t.timestamp, t.alert_group, t.numeric_severity, t.is_resolved,
          ${incidentUidSql} as incident_uid, t.retraction_reason),
      counted as (${addToRollups(raw('retracted'), -1)})
      select uid, tenant_id as "tenantId", contract_id as "contractId", timestamp, alert_group as "group",
        numeric_severity as "numericSeverity", is_resolved as "isResolved", incident_uid::text as "incidentUid",
        retraction_reason as reason
      from retracted`,
  );
}

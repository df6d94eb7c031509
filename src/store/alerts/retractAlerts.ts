import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { RetractionReason } from '../../model/alert.ts';
import type { BlockRef } from '../../model/block.ts';
import type { Db } from '../db/db.ts';
import { sendLater } from '../db/sendLater.ts';
import { awaitPrepared } from '../db/shards/awaitPrepared.ts';
import { perShard } from '../db/shards/perShard.ts';
import { incidentUidSql } from '../search/documents/incidentUidSql.ts';
import { blockHashSql } from '../search/documents/packedHashes.ts';
import { addAlertsToRollups, addToRollups } from '../search/rollups/rollups.ts';

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
 * Retracts the alerts of these blocks, or of these tenants in them; skips those already retracted. `uncountRetracted` completes it.
 */
export async function retractAlertsIn(
  tx: Db,
  chainUid: string,
  blocks: readonly BlockRef[],
  now: number,
  tenantIds?: readonly number[],
): Promise<RetractedAlert[]> {
  const sought = (ids?: readonly number[]) => sql`unnest(${blocks.map(({ number }) => number)}::bigint[],
      ${blocks.map(({ hash }) => hash)}::text[]) b(number, hash)
    where t.chain_uid = ${chainUid} and t.block_number = b.number and ${blockHashSql} = b.hash
      and ${ids ? sql`t.tenant_id = any(${ids}::bigint[])` : raw('true')}`;
  const toUpdate = (ids?: readonly number[]) => update(sought(ids), 'REORGANISED', now);
  if (!(await tx.isDistributed())) return retract(tx, toUpdate(tenantIds));
  const concerned =
    tenantIds ?? (await tx.prepared<{ id: number }>(sql`select id from tenant`)).map(({ id }) => id);
  return retractOnWorkers(tx, concerned, (id) => id, toUpdate);
}

/** The same of these alerts. */
export async function retractAlerts(
  tx: Db,
  all: readonly { tenantId: number; timestamp: number; uid: string }[],
  reason: RetractionReason,
  now: number,
): Promise<RetractedAlert[]> {
  const toUpdate = (alerts: typeof all) => {
    const sought = sql`unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
      ${alerts.map(({ timestamp }) => timestamp)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[])
      k(tenant_id, timestamp, uid)
    where t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid`;
    return update(sought, reason, now);
  };
  if (all.length === 0) return [];
  if (!(await tx.isDistributed())) return retract(tx, toUpdate(all));
  return retractOnWorkers(tx, all, ({ tenantId }) => tenantId, toUpdate);
}

/**
 * Subtracts them from the roll-ups, last in a transaction as when raising, so that locks of incidents and roll-ups are
 * taken in one order. On Citus the workers have done it.
 */
export async function uncountRetracted(tx: Db, retracted: readonly RetractedAlert[]): Promise<void> {
  if (retracted.length > 0 && !(await tx.isDistributed()))
    await sendLater(tx, addAlertsToRollups(retracted, -1));
}

/** The statement's beginning, which has the rows `retracted`. */
function update(sought: Sql, reason: RetractionReason, now: number): Sql {
  return sql`with retracted as (
      update alert t set retracted_at = ${now}::bigint, retraction_reason = ${reason}::text
      from ${sought} and t.retracted_at is null
      returning t.uid, t.tenant_id, t.contract_id, t.timestamp, t.alert_group, t.numeric_severity, t.is_resolved,
        ${incidentUidSql} as incident_uid, t.retraction_reason)`;
}

async function retract(tx: Db, updated: Sql): Promise<RetractedAlert[]> {
  return tx.prepared<RetractedAlert>(
    sql`${updated} select uid, tenant_id as "tenantId", contract_id as "contractId", timestamp, alert_group as "group",
        numeric_severity as "numericSeverity", is_resolved as "isResolved", incident_uid::text as "incidentUid",
        retraction_reason as reason
      from retracted`,
  );
}

async function retractOnWorkers<Item>(
  tx: Db,
  items: readonly Item[],
  tenantOf: (item: Item) => number,
  toUpdate: (items: readonly Item[]) => Sql,
): Promise<RetractedAlert[]> {
  // The coordinator may know records whose alerts a worker does not show yet.
  await awaitPrepared(tx, items.map(tenantOf));
  return perShard(
    tx,
    items,
    tenantOf,
    (groupItems) =>
      sql`${toUpdate(groupItems)}, counted as (${addToRollups(raw('retracted'), -1)})
        select json_build_object('uid', uid, 'tenantId', tenant_id, 'contractId', contract_id,
        'timestamp', timestamp, 'group', alert_group, 'numericSeverity', numeric_severity, 'isResolved', is_resolved,
        'incidentUid', incident_uid, 'reason', retraction_reason)::text as shard_row from retracted`,
  );
}

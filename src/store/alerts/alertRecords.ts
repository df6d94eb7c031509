import { type Sql, sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db.ts';
import { insertResolvedDeliveries } from '../destinations/followUps.ts';
import { findDocument, setTags } from '../documents/documentRecords.ts';
import { asSeenIn, type DocumentScope } from '../documents/documentTable.ts';
import { nowMs } from '../fragments.ts';
import type { Row } from '../records/records.ts';
import { insertStatusEvents } from './alertEvents.ts';
import { alertTable } from './alertTable.ts';
import { addTagWords } from './alertWords.ts';
import { writeLoneIncidents } from './loneIncidents.ts';

export async function findAlert(
  db: Db,
  scope: DocumentScope,
  uid: string,
  names: readonly string[],
  lock = false,
): Promise<Row | undefined> {
  const { condition } = scope;
  return findDocument(db, asSeenIn(alertTable, scope), { uid, condition, names, lock });
}

export type AlertKey = { tenantId: number; timestamp: number; uid: string };

/** A condition on alerts as `t`. */
export function hasKey({ tenantId, timestamp, uid }: AlertKey): Sql {
  return sql`t.tenant_id = ${tenantId} and t.timestamp = ${timestamp} and t.uid = ${uid}::uuid`;
}

export async function tagAlert(
  db: Db,
  key: AlertKey,
  tags: { former: readonly string[]; now: readonly string[] },
): Promise<void> {
  await addTagWords(db, [key], tags.now);
  await db.query(
    sql`update alert t set ${setTags(key.tenantId, tags.former, tags.now)} where ${hasKey(key)}`,
  );
}

export async function assignAlert(db: Db, key: AlertKey, assigneeId: number | null): Promise<void> {
  await db.query(sql`update alert t set assignee_id = ${assigneeId} where ${hasKey(key)}`);
}

/**
 * Resolves or reopens the alerts that match the condition, and their incidents with them, and notifies destinations and
 * streams; returns how many changed.
 */
export async function resolveAlerts(
  tx: Db,
  condition: Sql,
  isResolved: boolean,
  now: number,
): Promise<number> {
  if (isResolved) await insertResolvedDeliveries(tx, condition, now);
  await insertStatusEvents(tx, condition, isResolved);
  const changes = sql`${condition} and t.is_resolved <> ${isResolved} and t.retracted_at is null`;
  await writeLoneIncidents(tx, changes);
  const rows = await tx.query<{ count: number }>(
    sql`with changed as (
        update alert t set is_resolved = ${isResolved}
        where ${changes}
        returning t.tenant_id, t.incident_uid),
      counted as (
        select tenant_id, incident_uid, count(*)::int as count from changed
        where incident_uid is not null group by 1, 2),
      settled as (
        update incident i set updated_at = ${nowMs},
          open_alerts = i.open_alerts + case when ${isResolved} then -c.count else c.count end
        from counted c where i.tenant_id = c.tenant_id and i.uid = c.incident_uid)
      select count(*) as count from changed`,
  );
  return onlyRow(rows).count;
}

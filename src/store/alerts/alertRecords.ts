import { join, type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { findDocument, setTags } from '../documents/documentRecords.ts';
import { asSeenIn, type DocumentScope } from '../documents/documentTable.ts';
import type { Row } from '../records/records.ts';
import { alertTable } from './alertTable.ts';

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

type AlertKey = { tenantId: number; timestamp: number; uid: string };

/** A condition on alerts as `t`. */
export function hasKey({ tenantId, timestamp, uid }: AlertKey): Sql {
  return sql`t.tenant_id = ${tenantId} and t.timestamp = ${timestamp} and t.uid = ${uid}::uuid`;
}

export async function updateAlert(
  db: Db,
  key: AlertKey,
  {
    isResolved,
    tags,
  }: { isResolved?: boolean; tags?: { former: readonly string[]; now: readonly string[] } },
): Promise<void> {
  const changes = [
    ...(isResolved === undefined ? [] : [sql`is_resolved = ${isResolved}`]),
    ...(tags ? [setTags(key.tenantId, tags.former, tags.now)] : []),
  ];
  if (changes.length === 0) return;
  await db.query(sql`update alert t set ${join(changes, ', ')} where ${hasKey(key)}`);
}

/** Resolves or reopens the alerts that match the condition; returns how many changed, by tenant. */
export async function resolveAlerts(
  db: Db,
  condition: Sql,
  isResolved: boolean,
): Promise<{ tenantId: number; count: number }[]> {
  return db.query<{ tenantId: number; count: number }>(
    sql`with changed as (
        update alert t set is_resolved = ${isResolved}
        where ${condition} and t.is_resolved <> ${isResolved} and t.retracted_at is null returning t.tenant_id)
      select tenant_id as "tenantId", count(*) as count from changed group by tenant_id order by tenant_id`,
  );
}

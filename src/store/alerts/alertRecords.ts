import { type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { findDocument, setTags } from '../documents/documentRecords.ts';
import { asSeenIn, type DocumentScope } from '../documents/documentTable.ts';
import { nowMs } from '../fragments.ts';
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

export async function tagAlert(
  db: Db,
  key: AlertKey,
  tags: { former: readonly string[]; now: readonly string[] },
): Promise<void> {
  await db.query(
    sql`update alert t set ${setTags(key.tenantId, tags.former, tags.now)} where ${hasKey(key)}`,
  );
}

/** Resolves or reopens the alerts that match the condition, and their incidents with them; returns how many changed, by tenant. */
export async function resolveAlerts(
  db: Db,
  condition: Sql,
  isResolved: boolean,
): Promise<{ tenantId: number; count: number }[]> {
  return db.query<{ tenantId: number; count: number }>(
    sql`with changed as (
        update alert t set is_resolved = ${isResolved}
        where ${condition} and t.is_resolved <> ${isResolved} and t.retracted_at is null
        returning t.tenant_id, t.incident_uid),
      counted as (
        select tenant_id, incident_uid, count(*)::int as count from changed
        where incident_uid is not null group by 1, 2),
      settled as (
        update incident i set updated_at = ${nowMs},
          open_alerts = i.open_alerts + case when ${isResolved} then -c.count else c.count end
        from counted c where i.tenant_id = c.tenant_id and i.uid = c.incident_uid)
      select tenant_id as "tenantId", count(*) as count from changed group by tenant_id order by tenant_id`,
  );
}

import { type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { insertReopenedDeliveries, insertResolvedDeliveries } from '../destinations/followUps.ts';
import { cancelRepeats } from '../destinations/routeGroups.ts';
import { endAnswered } from '../onCall/answers.ts';
import type { Row } from '../records/records.ts';
import { findDocument, setTags } from '../search/documentRecords.ts';
import { alertTable } from '../search/documents/alertTable.ts';
import { asSeenIn, type DocumentScope } from '../search/documents/documentTable.ts';
import { incidentUidSql } from '../search/documents/incidentUidSql.ts';
import { addTagWords } from '../search/terms/alertWords.ts';
import { insertAlertEvents } from './alertEvents.ts';
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
  const changes = sql`${condition} and t.is_resolved <> ${isResolved} and t.retracted_at is null`;
  await writeLoneIncidents(tx, changes);
  const changed = await tx.query<{ tenantId: number; uid: string; incidentUid: string | null }>(
    sql`update alert t set is_resolved = ${isResolved} where ${changes}
      returning t.tenant_id as "tenantId", t.uid::text, ${incidentUidSql}::text as "incidentUid"`,
  );
  await countResolved(tx, changed, isResolved, now);
  if (isResolved) {
    await cancelRepeats(tx, changed, now);
    await insertResolvedDeliveries(tx, changed, now);
    await endAnswered(tx, changed, now);
  } else await insertReopenedDeliveries(tx, changed, now);
  await insertAlertEvents(tx, isResolved ? 'resolved' : 'changed', changed);
  return changed.length;
}

async function countResolved(
  tx: Db,
  changed: readonly { tenantId: number; incidentUid: string | null }[],
  isResolved: boolean,
  now: number,
): Promise<void> {
  const joined = changed.flatMap(({ tenantId, incidentUid: uid }) =>
    uid === null ? [] : [{ tenantId, uid }],
  );
  await perTenant(tx, joined, (alerts, ofTenant) =>
    tx.query(
      sql`update incident i set updated_at = ${now}::bigint,
          open_alerts = i.open_alerts + case when ${isResolved} then -c.count else c.count end
        from (select tenant_id, uid, count(*)::int as count
          from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[])
            k(tenant_id, uid) group by 1, 2) c
        where i.tenant_id = c.tenant_id and i.uid = c.uid and ${ofTenant('i')}`,
    ),
  );
}

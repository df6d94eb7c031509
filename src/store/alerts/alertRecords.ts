import { raw, type Sql, sql } from '../../lib/sql.ts';
import { uidTime } from '../../model/uidTime.ts';
import type { Db } from '../db.ts';
import type { DocumentScope } from '../documents/documentTable.ts';
import { selectDocument } from '../documents/searchDocuments.ts';
import { alertTable } from './alertTable.ts';

type Row = { [member: string]: unknown };

/** One alert by its uid, which carries the time and so the partition. */
export async function findAlert(
  db: Db,
  scope: DocumentScope,
  uid: string,
  names: readonly string[],
  lock = false,
): Promise<Row | undefined> {
  const timestamp = uidTime(uid);
  if (timestamp === undefined) return undefined;
  const rows = await db.query<Row>(
    sql`select ${selectDocument(alertTable, names)} from alert t
      where t.timestamp = ${timestamp} and t.uid = ${uid}::uuid and ${scope.condition} ${raw(lock ? 'for update of t' : '')}`,
  );
  return rows[0];
}

/** Tags are part of the inverted index, so their hashes change with them. */
export async function updateAlert(
  db: Db,
  key: { tenantId: number; timestamp: number; uid: string },
  change: {
    isResolved?: boolean;
    tags?: readonly string[];
    addTerms?: readonly number[];
    dropTerms?: readonly number[];
  },
): Promise<void> {
  const { addTerms = [], dropTerms = [] } = change;
  await db.query(
    sql`update alert t set is_resolved = coalesce(${change.isResolved ?? null}, t.is_resolved),
        tags = coalesce(${change.tags ?? null}::text[], t.tags),
        terms = array(select unnest(t.terms) except select unnest(${dropTerms}::int4[])
                      union select unnest(${addTerms}::int4[]))
      where t.tenant_id = ${key.tenantId} and t.timestamp = ${key.timestamp} and t.uid = ${key.uid}::uuid`,
  );
}

/** Marks everything that fits the condition as resolved, or open again; returns how many changed. */
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

import { raw, type Sql, sql } from '../../lib/sql.ts';
import { uidTime } from '../../lib/uid.ts';
import { tagTerms } from '../../query/tagTerms.ts';
import { createTermHash } from '../../query/termHash.ts';
import type { Db } from '../db/db.ts';
import type { Row } from '../records/records.ts';
import type { DocumentTable } from './documents/documentTable.ts';
import { selectDocument } from './searchDocuments.ts';

/** One document by its uid, which carries the time and so the partition. */
export async function findDocument(
  db: Db,
  table: DocumentTable,
  {
    uid,
    condition,
    names,
    lock = false,
  }: { uid: string; condition: Sql; names: readonly string[]; lock?: boolean },
): Promise<Row | undefined> {
  const timestamp = uidTime(uid);
  if (timestamp === undefined) return undefined;
  const row = sql`from ${raw(table.name)} t where t.timestamp = ${timestamp} and t.uid = ${uid}::uuid and ${condition}`;
  if (!lock || !(await db.isDistributed())) {
    const rows = await db.query<Row>(
      sql`select ${selectDocument(table, names)} ${row} ${raw(lock ? 'for update of t' : '')}`,
    );
    return rows[0];
  }
  // Only a statement that names the tenant can lock, because it is sent to one worker.
  const [record] = await db.query<{ tenantId: number }>(sql`select t.tenant_id as "tenantId" ${row}`);
  if (!record) return undefined;
  const rows = await db.query<Row>(
    sql`select ${selectDocument(table, names)} from ${raw(table.name)} t
      where t.tenant_id = ${record.tenantId} and t.timestamp = ${timestamp} and t.uid = ${uid}::uuid for update of t`,
  );
  return rows[0];
}

/** The SET clause for changed tags: their hashes in the inverted index change with them. */
export function setTags(tenantId: number, former: readonly string[], tags: readonly string[]): Sql {
  const hash = createTermHash(tenantId, 'tags');
  return sql`tags = ${tags}::text[],
    terms = array(select unnest(t.terms) except select unnest(${former.map(hash)}::int4[])
                  union select unnest(${tags.flatMap((tag) => tagTerms(tag).map(hash))}::int4[]))`;
}

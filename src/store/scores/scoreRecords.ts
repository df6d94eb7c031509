import { raw, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import { uidTime } from '../../model/uidTime.ts';
import type { Db } from '../db.ts';
import { selectDocument } from '../documents/searchDocuments.ts';
import type { Row } from '../records.ts';
import { instanceTable } from '../tables/instance.ts';
import { scoreTable } from './scoreTable.ts';

/** One score change by its partition and uid, if the scope sees its instance. */
export async function findScoreChange(
  db: Db,
  scope: Scope,
  { index, uid }: { index: string; uid: string },
  names: readonly string[],
  lock = false,
): Promise<Row | undefined> {
  const timestamp = uidTime(uid);
  if (timestamp === undefined) return undefined;
  const rows = await db.query<Row>(
    sql`select ${selectDocument(scoreTable, names)} from score_change t
      where t.timestamp = ${timestamp} and t.uid = ${uid}::uuid and t.index = ${index}
        and (t.tenant_id, t.license_instance_id) in (
          select t.tenant_id, t.id from license_instance t where t.status <> 'DELETED' and ${instanceTable.visible(scope)})
      ${raw(lock ? 'for update of t' : '')}`,
  );
  return rows[0];
}

/** Tags are part of the inverted index, so their hashes change with them. */
export async function tagScoreChange(
  db: Db,
  { tenantId, timestamp, uid }: { tenantId: number; timestamp: number; uid: string },
  { tags, addTerms, dropTerms }: { tags: string[]; addTerms: number[]; dropTerms: number[] },
): Promise<void> {
  await db.query(
    sql`update score_change t set tags = ${tags}::text[],
        terms = array(select unnest(t.terms) except select unnest(${dropTerms}::int4[])
                      union select unnest(${addTerms}::int4[]))
      where t.tenant_id = ${tenantId} and t.timestamp = ${timestamp} and t.uid = ${uid}::uuid`,
  );
}

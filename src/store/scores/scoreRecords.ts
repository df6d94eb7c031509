import { sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import type { Row } from '../records/records.ts';
import { findDocument, setTags } from '../search/documentRecords.ts';
import { instanceTable } from '../tables/instanceTable.ts';
import { scoreTable } from './scoreTable.ts';

/** One score change by its partition and uid, if the scope sees its instance. */
export async function findScoreChange(
  db: Db,
  scope: Scope,
  { index, uid }: { index: string; uid: string },
  names: readonly string[],
): Promise<Row | undefined> {
  const condition = sql`t.index = ${index} and (t.tenant_id, t.license_instance_id) in (
    select t.tenant_id, t.id from license_instance t where t.status <> 'DELETED' and ${instanceTable.visible(scope)})`;
  return findDocument(db, scoreTable, { uid, condition, names, lock: true });
}

export async function tagScoreChange(
  db: Db,
  { tenantId, timestamp, uid }: { tenantId: number; timestamp: number; uid: string },
  former: readonly string[],
  tags: readonly string[],
): Promise<void> {
  await db.query(
    sql`update score_change t set ${setTags(tenantId, former, tags)}
      where t.tenant_id = ${tenantId} and t.timestamp = ${timestamp} and t.uid = ${uid}::uuid`,
  );
}

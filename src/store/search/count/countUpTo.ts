import { raw, type Sql, sql } from '../../../lib/sql.ts';
import { type Db, onlyRow } from '../../db/db.ts';
import type { DocumentTable } from '../documents/documentTable.ts';

/** Counts exactly up to the limit, then stops. */
export async function countUpTo(
  db: Db,
  table: DocumentTable,
  condition: Sql,
  limit: number,
): Promise<number> {
  if (limit === 0) return 0;
  const rows = await db.query<{ total: number }>(
    sql`select count(*) as total from (select 1 from ${raw(table.name)} t where ${condition} limit ${limit}) found`,
  );
  return onlyRow(rows).total;
}

import { raw, sql } from '../lib/sql.ts';
import type { Scope } from '../model/principal.ts';
import type { Db } from './db.ts';
import type { Table } from './table.ts';

export async function findIdByUid(
  db: Db,
  table: Table,
  scope: Scope,
  uid: string,
): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(
    sql`select t.id from ${raw(table.name)} t where t.uid = ${uid} and ${table.visible(scope)}`,
  );
  return rows[0]?.id;
}

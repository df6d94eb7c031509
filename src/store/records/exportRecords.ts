import { sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import { type ExportSource, exportLimit, maxExportRows, readExportPage } from '../db/exportPage.ts';
import { selectList } from '../tables/members.ts';
import type { Table } from '../tables/table.ts';
import { compileRecordSearch, queryInTime, type Search, source } from './records.ts';

/** All records that a search finds, with these members; what is deleted or hidden meanwhile is left out. */
export async function exportRecords(
  db: Db,
  table: Table,
  scope: Scope,
  search: Search,
  names: readonly string[],
): Promise<ExportSource> {
  const { filter, order } = compileRecordSearch(table, scope, search);
  const keys = await queryInTime<{ id: number }>(
    db,
    sql`select t.id from ${source(table, scope)} where ${filter}
      order by ${order} limit ${exportLimit(search.size)} offset ${search.from ?? 0}`,
  );
  const ids = Float64Array.from(keys.slice(0, maxExportRows), ({ id }) => id);
  const select = (from: number, to: number) =>
    sql`select k.n, (select row_to_json(r)::text from (select ${selectList(table, names)}) r) as json
      from ${source(table, scope)}, unnest(${[...ids.subarray(from, to)]}::bigint[]) with ordinality k(id, n)
      where t.id = k.id and ${filter}`;
  return {
    count: ids.length,
    isComplete: keys.length <= ids.length,
    read: (at) => readExportPage(db, ids.length, at, select),
  };
}

import { integer, raw, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import type { CompiledSearch, QueryInput } from './compile/compileQuery.ts';
import { isNewestFirst, type SortItem } from './documents/documentSort.ts';
import type { DocumentScope, DocumentTable } from './documents/documentTable.ts';
import type { DocumentRow, Page, SearchResult } from './searchCandidates.ts';

/**
 * Reads a later page of documents in the order of a time index, without those before it. The index gives the page's
 * first time, of which the page before may have a part.
 */
export async function searchDeep(
  db: Db,
  { name }: DocumentTable,
  { condition: inScope, ordered }: DocumentScope,
  { condition }: CompiledSearch,
  { columns, order, from, size, reuse }: Page,
  { query, sort }: QueryInput & { sort?: readonly SortItem[] },
): Promise<SearchResult | undefined> {
  const isInIndex = ordered === inScope && !query?.trim() && isNewestFirst(sort);
  if (!isInIndex || from === 0 || size === 0) return undefined;
  const documents = sql`from ${raw(name)} t where ${condition}`;
  const begin = sql`select t.timestamp ${documents} order by t.timestamp desc limit 1 offset ${from}`;
  const isAlone = sql`(select count(*) from (select ${documents} and t.timestamp = b.timestamp limit 2) same) = 1`;
  const newer = sql`(select count(*) ${documents} and t.timestamp > b.timestamp)`;
  const data = await db.repeated<DocumentRow>(
    reuse(
      'deep',
      () => sql`select ${columns}
        from (select b.timestamp, case when ${isAlone} then ${from}::bigint else ${newer} end as newer
              from (${begin}) b) b
        cross join lateral (
          select t.* ${documents} and t.timestamp <= b.timestamp
          order by ${order.whole} limit ${integer(size)} offset ${from}::bigint - b.newer) t
        order by ${order.whole}`,
    ),
  );
  return { data };
}

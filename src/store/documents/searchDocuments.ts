import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import type { Db } from '../db.ts';
import { compileQuery, type QueryInput } from './compileQuery.ts';
import { type SortItem, sortSql } from './documentSort.ts';
import type { DocumentScope, DocumentTable } from './documentTable.ts';

/** Family Q. */
export type DocumentSearch = QueryInput & {
  from?: number;
  size?: number;
  trackTotalCount?: number;
  sort?: readonly SortItem[];
};

type Row = { [member: string]: unknown };

export async function searchDocuments(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  names: readonly string[],
  now: number,
): Promise<{ data: Row[]; total: number }> {
  const order = sortSql(table, search.sort);
  const condition = await withinTime(() => compileQuery(db, table, scope, search, now));
  // Without a query the text of the statements is always the same, and planning them for every month takes longest.
  const isPlain = !search.query?.trim() && !search.timeseries && !search.sort;
  const run = isPlain ? { ...db, query: db.prepared } : db;
  const data = await withinTime(() => page(run, table, condition, order, search, names));
  const total = await withinTime(() => countUpTo(run, table, condition, search.trackTotalCount ?? 10_000));
  return { data, total };
}

async function page(
  db: Db,
  table: DocumentTable,
  condition: Sql,
  order: Sql,
  { from = 0, size = 10 }: DocumentSearch,
  names: readonly string[],
): Promise<Row[]> {
  if (size === 0) return [];
  const columns = selectDocument(table, names);
  const name = raw(table.name);
  if (from === 0) {
    return db.query<Row>(
      sql`select ${columns} from ${name} t where ${condition} order by ${order} limit ${size}`,
    );
  }
  // Pages further on are cut on the narrow keys of an index before whole rows are fetched.
  return db.query<Row>(
    sql`select ${columns} from ${name} t
      join (select t.tenant_id, t.timestamp, t.uid from ${name} t where ${condition}
            order by ${order} limit ${size} offset ${from}) k
        on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid
      order by ${order}`,
  );
}

export function selectDocument(table: DocumentTable, names: readonly string[]): Sql {
  return join(
    names.map((name) => sql`${table.columns.get(name)!.sql} as ${raw(`"${name}"`)}`),
    ', ',
  );
}

/** Exact up to the limit, and no more work than that. */
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
  return rows[0]!.total;
}

/** A search that outlasts its time is the query's fault, and the caller can do something about it. */
export async function withinTime<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && error.code === 'unavailable' && /time limit/.test(error.message)) {
      throw new Problem(
        'invalid-query',
        'The search takes too long. Narrow it by a shorter time or by another condition.',
      );
    }
    throw error;
  }
}

import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import { createMatcher } from '../../query/lucene/matcher.ts';
import { namedFields } from '../../query/lucene/namedFields.ts';
import { parseQuery } from '../../query/lucene/parser.ts';
import { fieldsOf, type Predicate } from '../../query/lucene/predicate.ts';
import { resolve } from '../../query/lucene/resolve.ts';
import { createSubject } from '../../query/lucene/subject.ts';
import { narrowed, toSql } from '../../query/lucene/toSql.ts';
import { termHash } from '../../query/termHash.ts';
import type { Db } from '../db.ts';
import type { DocumentScope, DocumentTable } from './documentTable.ts';

type Timeseries = readonly { from: number; to: number }[];
export type QueryInput = { query?: string | undefined; timeseries?: Timeseries | undefined };

/** Rows that are read at most to check one by one what SQL knows only roughly. */
const checkedAtMost = 100_000;
/** With more tenants than this the index is of no use for a term, and a list of hashes would be long. */
const hashedTenants = 1000;

/** The whole condition of a search on `t`: scope, time and query. */
export async function compileQuery(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  input: QueryInput,
  now: number,
): Promise<Sql> {
  const bounds = sql`${scope.condition}${input.timeseries ? sql` and ${inTime(input.timeseries)}` : raw('')}`;
  const query = input.query?.trim() ? parseQuery(input.query) : undefined;
  const isHidden = table.hidden && !table.hidden.unless.some((name) => query && namedFields(query).has(name));
  const within = isHidden ? sql`${bounds} and ${table.hidden!.condition}` : bounds;
  if (!query) return within;
  const predicate = resolve(query, table.mapping, now);
  const part = toSql(predicate, {
    columns: table.columns,
    oddWords: raw('t.odd_words'),
    ...hashing(scope),
  });
  const condition = sql`${within} and ${narrowed(part, raw('t.terms'))}`;
  return part.isExact
    ? condition
    : sql`${bounds} and ${await checkOneByOne(db, table, condition, predicate)}`;
}

function hashing({ tenantIds }: DocumentScope) {
  if (!tenantIds || tenantIds.length > hashedTenants) return {};
  return {
    hash: (column: string, term: string) => tenantIds.map((tenantId) => termHash(tenantId, column, term)),
  };
}

function inTime(timeseries: Timeseries): Sql {
  const ranges = timeseries.map(({ from, to }) => sql`t.timestamp between ${from} and ${to}`);
  return sql`(${join(ranges, ' or ')})`;
}

/** The matcher decides on what SQL has let through, and the search goes on with the rows that it took. */
async function checkOneByOne(
  db: Db,
  table: DocumentTable,
  condition: Sql,
  predicate: Predicate,
): Promise<Sql> {
  const names = [...new Set(fieldsOf(predicate).map((field) => field.path[0]!))].filter((name) =>
    table.columns.has(name),
  );
  const columns = names.map((name) => sql`${table.columns.get(name)!.sql} as ${raw(`"${name}"`)}`);
  const rows = await db.query<{ [member: string]: unknown; _uid: string; _timestamp: number }>(
    sql`select ${join([...columns, raw('t.uid as _uid'), raw('t.timestamp as _timestamp')], ', ')}
      from ${raw(table.name)} t where ${condition} limit ${checkedAtMost + 1}`,
  );
  if (rows.length > checkedAtMost) {
    throw new Problem(
      'invalid-query',
      `This query has to be checked row by row, and more than ${checkedAtMost} rows are possible. ` +
        'Narrow it by a shorter time or by another condition.',
    );
  }
  const matches = createMatcher(predicate);
  const found = rows.filter((row) => matches(createSubject(row)));
  const times = [...new Set(found.map((row) => row._timestamp))];
  return sql`t.timestamp = any(${times}::bigint[]) and t.uid = any(${found.map((row) => row._uid)}::uuid[])`;
}

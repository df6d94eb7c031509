import { giveWay } from '../../lib/eventLoop.ts';
import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import { compile } from '../../query/lucene/compile.ts';
import { searchQueryBudget } from '../../query/lucene/cost.ts';
import { namedFields } from '../../query/lucene/namedFields.ts';
import { createPacedMatcher } from '../../query/lucene/pacedMatcher.ts';
import { parseQuery } from '../../query/lucene/parser.ts';
import { fieldsOf, type Predicate } from '../../query/lucene/predicate.ts';
import { createSubject } from '../../query/lucene/subject.ts';
import { hashTests, narrowed, toSql } from '../../query/lucene/toSql.ts';
import { termHash } from '../../query/termHash.ts';
import type { Db } from '../db.ts';
import type { DocumentScope, DocumentTable } from './documentTable.ts';

type Timeseries = readonly { from: number; to: number }[];
export type QueryInput = { query?: string | undefined; timeseries?: Timeseries | undefined };

/** What the queries of one request may still cost together. */
export type QueryBudget = { left: number };

export function createQueryBudget(): QueryBudget {
  return { left: searchQueryBudget };
}

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
  budget = createQueryBudget(),
): Promise<Sql> {
  return (await compileSearch(db, table, scope, input, now, budget)).condition;
}

/** Beside the whole condition, ways to find the same sooner where there are many documents; absent where they are of no use. */
export type CompiledSearch = {
  condition: Sql;
  newest?: {
    /** What follows FROM to look for hits among so many of the newest documents. */
    among: (count: number) => Sql;
    /** A statement with a row if there are more documents than that. */
    beyond: (count: number) => Sql;
  };
  /**
   * What follows FROM to look for hits among so many documents that the index of terms names. `n` counts these; the last
   * one allowed is always in the answer, hit or not, and says that there may be more hits.
   */
  candidates?: (count: number) => Sql;
};

export async function compileSearch(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  input: QueryInput,
  now: number,
  budget = createQueryBudget(),
): Promise<CompiledSearch> {
  const times = input.timeseries ? [inTime(input.timeseries)] : [];
  const query = input.query?.trim() ? parseQuery(input.query) : undefined;
  const isHidden = table.hidden && !table.hidden.unless.some((name) => query && namedFields(query).has(name));
  const bounds = isHidden ? [...times, table.hidden!.condition] : times;
  if (!query) return { condition: all([scope.condition, ...bounds]) };
  const { predicate, cost } = compile(query, table.mapping, now, budget.left);
  budget.left -= cost;
  // Neither step takes long, but both together may for a query of a thousand clauses.
  await giveWay();
  const part = toSql(predicate, {
    columns: table.columns,
    oddWords: raw('t.odd_words'),
    ...hashing(scope),
  });
  const condition = all([scope.condition, ...bounds, narrowed(part, terms)]);
  if (!part.isExact) {
    const checked = await checkOneByOne(db, table, condition, predicate);
    return { condition: all([scope.condition, ...times, checked]) };
  }
  if (part.narrow.length === 0) return { condition };
  const name = raw(table.name);
  // Beside the index of terms, PostgreSQL would also list the whole scope by another, which takes far longer.
  const candidates = (count: number) =>
    sql`(select *, row_number() over () as n from ${name} t where ${all([...bounds, ...hashTests(part, terms)])}) t
      where n <= ${count} and (n = ${count} or (${scope.condition} and ${part.condition}))`;
  const { ordered } = scope;
  const isInOrder = (isHidden || !table.hidden) && (input.timeseries?.length ?? 1) === 1;
  if (!ordered || !isInOrder) return { condition, candidates };
  const documents = sql`from ${name} t where ${all([ordered, ...bounds])} order by t.timestamp desc`;
  const newest = {
    among: (count: number) =>
      sql`(select * ${documents} fetch first ${count} rows with ties) t
        where ${scope.condition} and ${narrowed(part, terms)}`,
    beyond: (count: number) => sql`select 1 ${documents} offset ${count} limit 1`,
  };
  return { condition, candidates, newest };
}

const terms = raw('t.terms');

function all(conditions: readonly Sql[]): Sql {
  return join(conditions, ' and ');
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
  const matches = createPacedMatcher(predicate);
  const found: typeof rows = [];
  for (const row of rows) if (await matches(createSubject(row), giveWay)) found.push(row);
  const times = [...new Set(found.map((row) => row._timestamp))];
  return sql`t.timestamp = any(${times}::bigint[]) and t.uid = any(${found.map((row) => row._uid)}::uuid[])`;
}

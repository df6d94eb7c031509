import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { empty, integer, join, raw, type Sql, sql } from '../../../lib/sql.ts';
import { createCoarseHashes } from '../../../query/coarseHashes.ts';
import { compile } from '../../../query/lucene/compile.ts';
import { searchQueryBudget } from '../../../query/lucene/cost.ts';
import { namedFields } from '../../../query/lucene/namedFields.ts';
import { parseQuery } from '../../../query/lucene/parseQuery.ts';
import type { Pattern } from '../../../query/lucene/patternNode.ts';
import type { Predicate } from '../../../query/lucene/predicate.ts';
import type { Narrow } from '../../../query/lucene/sqlPredicate.ts';
import type { SqlSource, TermHashes } from '../../../query/lucene/sqlSource.ts';
import { indexTests, narrowed, rowTest, toSql } from '../../../query/lucene/toSql.ts';
import { termHash } from '../../../query/termHash.ts';
import { forRouting } from '../../db/citus/toShardText.ts';
import type { Db } from '../../db/db.ts';
import type { DocumentScope, DocumentTable } from '../documents/documentTable.ts';
import { recheckRows } from '../documents/recheckRows.ts';
import { commonTerms } from '../terms/commonTerms.ts';
import { completeTerms } from '../terms/completeTerms.ts';
import { expandPatterns } from './expandPatterns.ts';
import { keptCounts, type MonthCounts } from './monthCounts.ts';

type Timeseries = readonly { from: number; to: number }[];
export type QueryInput = { query?: string | undefined; timeseries?: Timeseries | undefined };

/** The remaining cost budget of the queries of one request. */
export type QueryBudget = { left: number };

export function createQueryBudget(): QueryBudget {
  return { left: searchQueryBudget };
}

/** With more tenants than this the term index does not help, and the list of hashes would be long. */
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

/** The whole condition, and faster ways to find the same among many documents, where they apply. */
export type CompiledSearch = {
  condition: Sql;
  /** Begins with `and`, or is empty: names the tenant once more, for each part of a statement that must not ask every worker. */
  ofTenant: Sql;
  /** A condition on part of the hits, which an index counts without reading documents. */
  common?: Sql;
  newest?: {
    /** A FROM clause with this many of the newest documents. */
    among: (count: number) => Sql;
    /** A statement that returns the time of the next document, if there are more. */
    beyond: (count: number) => Sql;
  };
  candidates?: {
    /** A FROM clause with all documents from the term index, hits or not. */
    documents: Sql;
    isHit: Sql;
  };
  /** Term hashes, one of which every hit has. */
  hashes?: readonly (readonly number[])[];
  /** The hashes of all that the term index names, if these are one list; it may name documents without one besides. */
  candidateHashes?: readonly number[];
  /** Statements for pages of it, by the members that these show; absent where it depends on the documents as they are now. */
  statements?: WeakMap<readonly string[], Map<string, Sql>>;
  monthCounts?: MonthCounts;
  /** Undefined without a query. */
  parsed?: ParsedQuery;
};

export type ParsedQuery = {
  predicate: Predicate;
  /** Names in the text, of which the predicate may lack some. */
  fields: ReadonlySet<string>;
};

export async function compileSearch(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  input: QueryInput,
  now: number,
  budget = createQueryBudget(),
): Promise<CompiledSearch> {
  return compilePrepared(db, table, scope, prepareSearch(table, input, now, budget));
}

export async function compilePrepared(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  prepared: PreparedSearch,
): Promise<CompiledSearch> {
  // Each step is short, but together they may block the event loop for a query of a thousand clauses.
  if (prepared.parsed) await yieldToEventLoop();
  return buildSearch(db, table, scope, prepared, await readBasis(db, table, scope, prepared));
}

/** The parts of a search that depend on its text alone. */
export type PreparedSearch = {
  parsed?: ParsedQuery;
  times: readonly Sql[];
  bounds: readonly Sql[];
  isHidden: boolean;
  isInOrder: boolean;
  monthCounts?: MonthCounts;
};

export function prepareSearch(
  table: DocumentTable,
  input: QueryInput,
  now: number,
  budget: QueryBudget,
): PreparedSearch {
  const times = input.timeseries ? [inTime(input.timeseries)] : [];
  const query = input.query?.trim() ? parseQuery(input.query) : undefined;
  const { hidden } = table;
  const fields = query && namedFields(query);
  const isHidden = hidden !== undefined && !hidden.unless.some((name) => fields?.has(name));
  const bounds = isHidden ? [...times, hidden.condition] : times;
  const isInOrder = (isHidden || !hidden) && (input.timeseries?.length ?? 1) === 1;
  if (!query || !fields) return { times, bounds, isHidden, isInOrder };
  const { predicate, cost } = compile(query, table.mapping, now, budget.left);
  budget.left -= cost;
  const counts = keptCounts(table, predicate, isHidden);
  return { parsed: { predicate, fields }, times, bounds, isHidden, isInOrder, ...counts };
}

/** Further dependencies of a search's statements: Citus, the version of terms, words and statistics. */
export type Basis = {
  ofTenant: Sql;
  version?: number;
  words?: ReadonlyMap<Pattern, readonly string[]>;
  common?: ReturnType<typeof commonTerms>;
};

export async function readBasis(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  { parsed }: PreparedSearch,
): Promise<Basis> {
  const ofTenant = await nameTenant(db, scope);
  const { tenantIds } = scope;
  if (!parsed) return { ofTenant };
  const common = commonTerms(db, table.name);
  if (!tenantIds || tenantIds.length > hashedTenants) return { ofTenant, common };
  const version = table.name === 'alert' ? await completeTerms(db) : 0;
  if (version < 3) return { ofTenant, common, version };
  const words = await expandPatterns(db, parsed.predicate, table.columns, tenantIds);
  return { ofTenant, common, version, words };
}

export async function buildSearch(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  { parsed, times, bounds, isHidden, isInOrder, ...counts }: PreparedSearch,
  basis: Basis,
): Promise<CompiledSearch> {
  const { ofTenant } = basis;
  const statements: CompiledSearch['statements'] = new WeakMap();
  if (!parsed) return { condition: all([scope.condition, ...bounds]), ofTenant, statements };
  const { predicate } = parsed;
  const part = toSql(predicate, {
    columns: narrowColumns(table, scope, isHidden),
    oddWords: raw('t.odd_words'),
    ...hashing(table, scope, basis),
  });
  const condition = all([scope.condition, ...bounds, narrowed(part, terms)]);
  if (!part.isExact) {
    const checked = await recheckRows(db, table, condition, predicate);
    return { condition: all([scope.condition, ...times, checked]), ofTenant, parsed };
  }
  const common = part.common ? { common: all([scope.condition, ...bounds, part.common]) } : {};
  if (part.narrow.length === 0) return { condition, ofTenant, statements, parsed, ...counts, ...common };
  const name = raw(table.name);
  const rarest = { ...part, narrow: rarestOf(part.narrow, basis.common) };
  // Otherwise PostgreSQL would combine the term index with another one over the whole scope, which takes far longer.
  const within = scope.isPartial ? [reachable(scope)] : [];
  const candidates = {
    documents: sql`${name} t where ${all([...within, ...bounds, ...indexTests(rarest, terms)])}${forRouting(ofTenant)}`,
    isHit: sql`(${scope.condition} and ${part.condition})`,
  };
  const hashes = part.narrow.flatMap(({ hashes: list, rows = [], all: others = [] }) =>
    rows.length + others.length === 0 ? [list] : [],
  );
  const [only, ...rest] = rarest.narrow;
  const prepared = {
    condition,
    ofTenant,
    candidates,
    hashes,
    statements,
    parsed,
    ...counts,
    ...common,
    ...(rest.length === 0 && { candidateHashes: only?.hashes ?? [] }),
  };
  const { ordered } = scope;
  if (!ordered || !isInOrder) return prepared;
  const documents = sql`from ${name} t where ${all([ordered, ...bounds])} order by t.timestamp desc`;
  const newest = {
    among: (count: number) =>
      sql`(select * ${documents} fetch first ${integer(count)} rows with ties) t
        where ${scope.condition} and ${rowTest(part, terms)}`,
    beyond: (count: number) => sql`select t.timestamp ${documents} offset ${count} limit 1`,
  };
  return { ...prepared, newest };
}

const terms = raw('t.terms');

/** The condition by which Citus leaves out the workers that do not answer. */
export function reachable({ tenantIds = [] }: DocumentScope): Sql {
  return sql`t.tenant_id = any(${tenantIds}::bigint[])`;
}

/** Citus sends a statement to one worker where every table in it names the same tenant; plain PostgreSQL needs no more than one. */
async function nameTenant(db: Db, { tenantIds = [] }: DocumentScope): Promise<Sql> {
  const [tenantId, another] = tenantIds;
  const isOne = tenantId !== undefined && another === undefined;
  return isOne && (await db.isDistributed()) ? sql` and t.tenant_id = ${tenantId}` : empty;
}

/** A rare term suffices: looking up a common term beside it takes longer than reading its few rows. */
function rarestOf(narrow: readonly Narrow[], common: ReturnType<typeof commonTerms>): readonly Narrow[] {
  if (!common) return narrow;
  const rare = narrow.filter(
    ({ hashes, rows = [], all: others = [] }) =>
      rows.length + others.length === 0 && !hashes.some((hash) => common.has(hash)),
  );
  return rare.length > 0 ? rare : narrow;
}

function all(conditions: readonly Sql[]): Sql {
  return join(conditions, ' and ');
}

/** Knows what a search cannot find: other tenants, and times of retraction where retracted alerts are hidden. */
function narrowColumns(
  { columns, hidden }: DocumentTable,
  { tenantIds }: DocumentScope,
  isHidden = false,
): DocumentTable['columns'] {
  const cache = new Map<string, readonly number[]>();
  if (tenantIds) cache.set('tenantId', tenantIds);
  if (isHidden && hidden) for (const name of hidden.unless) cache.set(name, []);
  return new Map(
    Array.from(columns, ([name, column]) => {
      const only = column.store === 'number' ? cache.get(name) : undefined;
      return [name, only ? { ...column, only } : column];
    }),
  );
}

function hashing(
  table: DocumentTable,
  { tenantIds }: DocumentScope,
  { version, words, common }: Basis,
): Partial<SqlSource> {
  if (!tenantIds || version === undefined) return {};
  const hash = (column: string, term: string) => hashTerm(table, tenantIds, column, term);
  const countOf = (column: string, term: string) =>
    hash(column, term)
      .flat()
      .reduce((sum, term) => sum + (common?.get(term) ?? 0), 0);
  return {
    // Of many tenants, hashing takes longer than it saves.
    ...(common && tenantIds.length === 1 ? { countOf } : {}),
    ...(words ? { wordsOf: (pattern) => words.get(pattern) } : {}),
    terms,
    hash,
    hasMemberTerms: version >= 1,
    hasBeginnings: version >= 2,
    hasDecimalTerms: version >= 5,
    tenants:
      tenantIds.length === 1
        ? sql`t.tenant_id = ${tenantIds[0]}`
        : sql`t.tenant_id = any(${tenantIds}::bigint[])`,
  };
}

/** Alerts with very many values, and those from before there were coarse hashes, have the one that other documents have. */
function hashTerm(
  { name }: DocumentTable,
  tenantIds: readonly number[],
  column: string,
  term: string,
): TermHashes {
  const single = () => tenantIds.map((tenantId) => termHash(tenantId, column, term));
  if (name !== 'alert') return [single()];
  const coarse = tenantIds.map((tenantId) => createCoarseHashes(tenantId, column)(term));
  // Two of them leave hardly an alert too many, and a third would have to be looked up too.
  const lists = (coarse[0] ?? []).slice(0, 2).map((_, index) => coarse.flatMap((list) => list[index] ?? []));
  return lists.length === 1 ? lists : lists.map((list) => [...list, ...single()]);
}

function inTime(timeseries: Timeseries): Sql {
  const ranges = timeseries.map(({ from, to }) => sql`t.timestamp between ${from} and ${to}`);
  return sql`(${join(ranges, ' or ')})`;
}

import { empty, integer, join, raw, type Sql, sql } from '../../lib/sql.ts';
import { severityOf } from '../../model/alert.ts';
import type { Db } from '../db/db.ts';
import { atTenant } from '../db/shards/atTenant.ts';
import { reportSlowSearch } from '../records/reportSlowSearch.ts';
import { type CompiledSearch, type QueryInput, reachable } from './compile/compileQuery.ts';
import { compileRepeated } from './compile/compileRepeated.ts';
import { countUpToByCells } from './count/countCells.ts';
import { countHits, defaultTotal } from './count/countHits.ts';
import { createReuse } from './createReuse.ts';
import { isNewestFirst, rejectObjectSort, type SortItem, sortSql } from './documents/documentSort.ts';
import { asSeenIn, type DocumentScope, type DocumentTable, memberColumn } from './documents/documentTable.ts';
import {
  type DocumentRow,
  maxCandidates,
  type Page,
  type SearchResult,
  searchCandidates,
} from './searchCandidates.ts';
import { searchDeep } from './searchDeep.ts';
import { countCommon, isOneRare } from './terms/commonTerms.ts';

/** A search by query string. */
export type DocumentSearch = QueryInput & {
  from?: number;
  size?: number;
  trackTotalCount?: number;
  sort?: readonly SortItem[];
};

/**
 * The newest documents that are scanned first, per requested hit and at least: common terms are found among them at
 * once, where the term index would list every document that ever contained them.
 */
const newestPerHit = 60;
const minNewest = 600;
/** So many of the newest probably have a page of hits when the term index names too many documents. */
const manyNewest = 8000;
/** Pages that end later are not searched among the newest documents. */
const maxHitsAmongNewest = 1000;
/** For up to this many hits, scanning the newest documents is tried before the term index. */
const fewHits = 100;

/** Pages in another order than time that end later are not searched by the times of their hits. */
const maxHitsByTime = 100;

export async function searchDocuments(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  names: readonly string[],
  now: number,
): Promise<{ data: DocumentRow[]; total: number }> {
  const seen = asSeenIn(table, scope);
  return findRows(db, seen, scope, search, { columns: selectDocument(seen, names) }, now);
}

/** Storage locations of the hits, in the order of the search. */
export async function searchKeys(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  now: number,
): Promise<{ tenantId: number; uid: string }[]> {
  const columns = sql`t.tenant_id as "tenantId", t.uid::text`;
  const plain = { ...search, trackTotalCount: 0 };
  const { data } = await findRows(db, asSeenIn(table, scope), scope, plain, { columns }, now);
  return data as { tenantId: number; uid: string }[];
}

/** The hits of a page with these columns; `names` are the members in them, if they are those of many searches. */
export async function findRows(
  anywhere: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  { columns, names, onText }: { columns: Sql; names?: readonly string[] } & Pick<Page, 'onText'>,
  now: number,
): Promise<SearchResult & { total: number }> {
  const { from = 0, size = 10, trackTotalCount = defaultTotal } = search;
  const db = atTenant(anywhere, scope.tenantIds);
  const order = sortSql(table, search.sort);
  // Without a query there are few statements, so they are prepared: planning all partitions takes longest.
  const isPlain = !search.query?.trim() && !search.timeseries && !search.sort;
  const run = isPlain ? { ...db, query: db.repeated } : db;
  return reportSlowSearch(async () => {
    const within = scope.isPartial ? sql` and ${reachable(scope)}` : empty;
    const compiled = { ...(await compileRepeated(db, table, scope, search, now)), within };
    await rejectObjectSort(db, table, compiled.condition, search.sort);
    const page = { columns, order, from, size, onText, reuse: createReuse(compiled, search, names) };
    const newest = async () => (isNewestFirst(search.sort) ? searchNewest(run, compiled, page) : undefined);
    const hasFewHits = from + size <= fewHits;
    // Some documents have several of the terms.
    const hasMany =
      !search.timeseries && countCommon(db, table.name, compiled.candidateHashes) > 3 * maxCandidates;
    const moreNewest = async () =>
      hasFewHits ? searchMoreNewest(run, table, compiled, page, search.sort) : undefined;
    const candidates = hasMany ? moreNewest : () => searchCandidates(run, table, compiled, page, search.sort);
    const isNewestFaster = hasFewHits && !isOneRare(db, table.name, compiled.hashes);
    const [first, second] = isNewestFaster ? [newest, candidates] : [candidates, newest];
    const { data, total } =
      (await first()) ??
      (await second()) ??
      (await searchRare(run, table, compiled, page, search.sort)) ??
      (await searchBySeverity(run, table, scope, compiled, page, search)) ??
      (await searchDeep(run, table, scope, compiled, page, search)) ??
      (await searchAll(run, table, compiled, page, search.sort));
    if (total !== undefined) return { data, total: Math.min(total, trackTotalCount) };
    if (trackTotalCount === 0) return { data, total: 0 };
    const { timeseries } = search;
    const counting = { now, limit: trackTotalCount };
    const counted = await countUpToByCells(
      db,
      table,
      scope,
      { timeseries, parsed: compiled.parsed },
      counting,
    );
    return {
      data,
      total: counted ?? (await countHits(run, table, scope, compiled, { limit: trackTotalCount, now })),
    };
  });
}

/** `within`: a condition for each mention of the table where not every worker is asked. */
type PartSearch = CompiledSearch & { within: Sql };

async function searchNewest(
  db: Db,
  { newest }: CompiledSearch,
  { columns, order, from, size, reuse }: Page,
): Promise<SearchResult | undefined> {
  const hits = from + size;
  if (!newest || size === 0 || hits > maxHitsAmongNewest) return undefined;
  const count = Math.max(minNewest, newestPerHit * hits);
  const rows = await db.repeated<DocumentRow>(
    reuse(
      'newest',
      () => sql`select ${columns} from ${newest.among(count)} order by ${order.whole} limit ${integer(hits)}`,
    ),
  );
  if (rows.length === hits) return { data: rows.slice(from) };
  const isBeyond = (await db.prepared(newest.beyond(count))).length > 0;
  return isBeyond ? undefined : { data: rows.slice(from), total: rows.length };
}

/** A page of hits since the time before which there are many documents, if it is full; by the term index, so few of them are read. */
async function searchMoreNewest(
  db: Db,
  table: DocumentTable,
  compiled: PartSearch,
  page: Page,
  sort: DocumentSearch['sort'],
): Promise<SearchResult | undefined> {
  const rows = compiled.newest
    ? await db.prepared<{ timestamp: number }>(compiled.newest.beyond(manyNewest))
    : [];
  const [last] = rows;
  if (!last) return undefined;
  const condition = sql`${compiled.condition} and t.timestamp >= ${last.timestamp}`;
  const rare = await searchRare(db, table, { ...compiled, condition }, page, sort);
  return rare?.data.length === page.size ? { data: rare.data } : undefined;
}

/**
 * Hits missing among the newest documents are rare, so the term index finds all of them and narrow keys are sorted. In
 * time order PostgreSQL would read every document of the scope.
 */
async function searchRare(
  db: Db,
  { name }: DocumentTable,
  { condition, ofTenant, newest, within }: PartSearch,
  { columns, order, from, size }: Page,
  sort: DocumentSearch['sort'],
): Promise<SearchResult | undefined> {
  if (!newest || size === 0 || from + size > maxHitsAmongNewest || !isNewestFirst(sort)) return undefined;
  const rows = await db.query<DocumentRow>(
    sql`select ${columns}, k.total as _total from ${raw(name)} t
      join (select *, count(*) over () as total
            from (select t.tenant_id, t.timestamp, t.uid from ${raw(name)} t where ${condition} offset 0) t
            order by t.timestamp desc, t.uid limit ${from + size}) k
        on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid${ofTenant}${within}
      order by ${order.whole}`,
  );
  const data = rows.slice(from).map(({ _total, ...row }) => row);
  return { data, total: Number(rows[0]?._total ?? 0) };
}

/** Without a query an index has the alerts of each severity in time order, so that the first of one or two fill a page. */
async function searchBySeverity(
  db: Db,
  { name }: DocumentTable,
  { ordered }: DocumentScope,
  { condition }: CompiledSearch,
  { columns, order, from, size }: Page,
  { query, sort = [] }: DocumentSearch,
): Promise<SearchResult | undefined> {
  const [first, second] = sort;
  const isBySeverity = name === 'alert' && first?.field === 'numericSeverity' && !second;
  if (!isBySeverity || !ordered || query?.trim() || size === 0 || from + size > maxHitsByTime)
    return undefined;
  const severities = Object.values(severityOf).sort((a, b) => a - b);
  if ((first.order ?? first.direction) === 'desc') severities.reverse();
  const data: DocumentRow[] = [];
  for (const severity of severities) {
    const left = from + size - data.length;
    if (left === 0) break;
    const filter = sql`${condition} and t.numeric_severity = ${severity}::smallint`;
    // Prepared, like all without a query: planning every partition takes several times as long as reading a page.
    data.push(
      ...(await db.repeated<DocumentRow>(
        sql`select ${columns} from ${raw(name)} t where ${filter} order by ${order.whole} limit ${integer(left)}`,
      )),
    );
  }
  return { data: data.slice(from) };
}

async function searchAll(
  db: Db,
  table: DocumentTable,
  { condition, ofTenant, within }: PartSearch,
  { columns, order, from, size, reuse, onText }: Page,
  sort: DocumentSearch['sort'],
): Promise<SearchResult> {
  if (size === 0) return { data: [] };
  const hits = from + size;
  const name = raw(table.name);
  const found = (filter: Sql) => sql`from ${name} t where ${condition}${filter} order by ${order.whole}`;
  if (!isNewestFirst(sort) && hits <= maxHitsByTime) {
    // An index often has the time beside the sort column, so few rows are fetched.
    const times = sql`select t.timestamp from ${name} t where ${condition} order by ${order.upToTime} limit ${hits}`;
    const filter = sql` and t.timestamp = any(${await asArray(db, times, ofTenant)})`;
    return {
      data: await db.query<DocumentRow>(sql`select ${columns} ${found(filter)} limit ${size} offset ${from}`),
    };
  }
  if (from === 0) {
    const first = reuse('first', () => sql`select ${columns} ${found(empty)} limit ${integer(size)}`);
    return { data: await db.query<DocumentRow>(first, onText) };
  }
  // Later pages are cut on the narrow keys of an index before whole rows are fetched.
  const data = await db.query<DocumentRow>(
    sql`select ${columns} from ${name} t
      join (select t.tenant_id, t.timestamp, t.uid ${found(empty)} limit ${size} offset ${from}) k
        on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid${ofTenant}${within}
      order by ${order.whole}`,
  );
  return { data };
}

/** With several workers the times are read first, because Citus cannot hand them on in one statement. */
async function asArray(db: Db, times: Sql, ofTenant: Sql): Promise<Sql> {
  if (ofTenant !== empty || !(await db.isDistributed())) return sql`array(${times})`;
  const rows = await db.query<{ timestamp: number }>(times);
  return sql`${rows.map(({ timestamp }) => timestamp)}::bigint[]`;
}

export function selectDocument(table: DocumentTable, names: readonly string[]): Sql {
  return join(
    names.map((name) => sql`${memberColumn(table, name).sql} as ${raw(`"${name}"`)}`),
    ', ',
  );
}

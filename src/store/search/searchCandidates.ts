import { empty, integer, raw, type Sql, sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import type { OnText } from '../db/streamTexts.ts';
import type { CompiledSearch } from './compile/compileQuery.ts';
import { isNewestFirst, type SortClause, type SortItem } from './documents/documentSort.ts';
import type { DocumentTable } from './documents/documentTable.ts';

export type DocumentRow = { [member: string]: unknown };
export type Page = {
  columns: Sql;
  order: SortClause;
  from: number;
  size: number;
  /** Takes the texts of hits as they come, if the columns are one; other hits are returned. */
  onText?: OnText | undefined;
  /** The statement of this page that is named so; made unless it was before. */
  reuse(name: string, make: () => Sql): Sql;
};
export type SearchResult = { data: DocumentRow[]; total?: number };
type Candidates = NonNullable<CompiledSearch['candidates']>;

/** If the term index names no more documents than this, all of them are read. */
export const maxCandidates = 5000;

/** All hits, if the term index names few documents. */
export async function searchCandidates(
  db: Db,
  table: DocumentTable,
  { candidates, ofTenant }: CompiledSearch,
  page: Page,
  sort: readonly SortItem[] | undefined,
): Promise<SearchResult | undefined> {
  if (!candidates) return undefined;
  if (ofTenant === empty && (await db.isDistributed()))
    return spreadCandidates(db, table, candidates, page, sort);
  const { documents, isHit } = candidates;
  if (page.size === 0) {
    const { read, total } = onlyRow(
      await db.repeated<{ read: number; total: number }>(
        page.reuse(
          'count',
          () => sql`select count(*) as read, count(*) filter (where ${isHit}) as total
            from (select * from ${documents} limit ${integer(maxCandidates)}) t`,
        ),
      ),
    );
    return read === maxCandidates ? undefined : { data: [], total };
  }
  const collected = table.mayBeLong ? await collectCandidates(db, table, candidates, page) : 'long';
  return collected === 'long' ? numberCandidates(db, candidates, page) : collected;
}

/** Up to this length of all values together, PostgreSQL stores none of them out of line. */
const maxShort = 1500;

/**
 * Reads the hits into an array and sorts that, which takes fewer steps than numbering rows. Array rows carry all
 * values, so hits with long values use the other function.
 */
async function collectCandidates(
  db: Db,
  { name, mayBeLong = [] }: DocumentTable,
  { documents, isHit }: Candidates,
  { columns, order, from, size, reuse }: Page,
): Promise<SearchResult | undefined | 'long'> {
  const bytes = () => mayBeLong.map((column) => `coalesce(pg_column_size(t.${column}), 0)`).join(' + ');
  const rows = await db.repeated<DocumentRow>(
    reuse(
      'collected',
      () => sql`select ${columns}, a.read as _read, cardinality(a.hits) as _total, t.uid is null as _long
        from (select count(*) as read,
                array_agg(case when ${raw(`${bytes()} <= ${maxShort}`)} then row(t.*)::${raw(name)} end)
                  filter (where ${isHit}) as hits
              from (select * from ${documents} limit ${integer(maxCandidates)}) t) a
        left join lateral unnest(a.hits) t on true
        order by t.uid is null desc, ${order.whole} limit ${integer(from + size)}`,
    ),
  );
  const { _read, _total, _long } = onlyRow(rows.slice(0, 1));
  if (_read === maxCandidates) return undefined;
  if (_total === null) return { data: [], total: 0 };
  if (_long) return 'long';
  const data = rows.slice(from).map(({ _read, _total, _long, ...row }) => row);
  return { data, total: Number(_total) };
}

async function numberCandidates(
  db: Db,
  { documents, isHit }: Candidates,
  { columns, order, from, size }: Page,
): Promise<SearchResult | undefined> {
  // The last of so many is always in the result, hit or not, and shows that there may be more.
  const rows = await db.repeated<DocumentRow>(
    sql`select ${columns}, t.n as _n, count(*) over () as _total
      from (select *, row_number() over () as n from ${documents}) t
      where n <= ${maxCandidates} and (n = ${maxCandidates} or ${isHit})
      order by t.n = ${maxCandidates} desc, ${order.whole} limit ${integer(from + size)}`,
  );
  if (rows[0]?._n === maxCandidates) return undefined;
  const data = rows.slice(from, from + size).map(({ _n, _total, ...row }) => row);
  return { data, total: Number(rows[0]?._total ?? 0) };
}

/**
 * The same where several workers have the documents: those send the keys of their hits, because Citus would read all candidates on the
 * coordinator before it numbers them.
 */
async function spreadCandidates(
  db: Db,
  { name }: DocumentTable,
  { documents, isHit }: Candidates,
  { columns, order, from, size }: Page,
  sort: readonly SortItem[] | undefined,
): Promise<SearchResult | undefined> {
  const hits = await db.repeated<{ tenantId: number; timestamp: number; uid: string }>(
    sql`select t.tenant_id as "tenantId", t.timestamp, t.uid::text from ${documents} and ${isHit}
      limit ${integer(maxCandidates)}`,
  );
  if (hits.length === maxCandidates) return undefined;
  const total = hits.length;
  if (size === 0 || from >= total) return { data: [], total };
  const isNewest = isNewestFirst(sort);
  if (isNewest) hits.sort((a, b) => b.timestamp - a.timestamp || (a.uid < b.uid ? -1 : 1));
  const shown = isNewest ? hits.slice(from, from + size) : hits;
  const data = await db.repeated<DocumentRow>(
    sql`select ${columns} from unnest(${shown.map(({ tenantId }) => tenantId)}::bigint[],
        ${shown.map(({ timestamp }) => timestamp)}::bigint[],
        ${shown.map(({ uid }) => uid)}::uuid[]) k(tenant_id, timestamp, uid)
      join ${raw(name)} t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid
        and t.tenant_id = any(${[...new Set(shown.map(({ tenantId }) => tenantId))]}::bigint[])
      order by ${order.whole} limit ${integer(size)} offset ${integer(isNewest ? 0 : from)}`,
  );
  return { data, total };
}

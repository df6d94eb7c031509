import { raw, render, type Sql, sql } from '../../../lib/sql.ts';
import type { Db } from '../../db/db.ts';

type CommonTerms = ReadonlyMap<number, number>;
type Statistics = { terms: number[]; shares: number[]; documents: number };
type Cached = { readAt: number; terms?: CommonTerms };

const cache = new WeakMap<object, Map<string, Cached>>();
const maxAgeMs = 10 * 60_000;

/**
 * Terms that PostgreSQL's statistics call common in a partition, with rough counts; undefined until read. Read beside
 * the searches, they only decide which plan is tried first.
 */
export function commonTerms(db: Db, table: string): CommonTerms | undefined {
  const { cacheKey } = db;
  if (!cacheKey) return undefined;
  const tables = cache.get(cacheKey) ?? new Map<string, Cached>();
  cache.set(cacheKey, tables);
  const cached = tables.get(table);
  if (cached && performance.now() - cached.readAt < maxAgeMs) return cached.terms;
  const next: Cached = { readAt: performance.now(), ...(cached?.terms ? { terms: cached.terms } : {}) };
  tables.set(table, next);
  readTerms(db, table).then(
    (terms) => {
      next.terms = terms;
    },
    // Searches do without; the next attempt is in ten minutes.
    () => undefined,
  );
  return next.terms;
}

/** True if one of these lists has only terms that are common in no month. */
export function isOneRare(db: Db, table: string, lists: readonly (readonly number[])[] = []): boolean {
  const common = commonTerms(db, table);
  return common !== undefined && lists.some((list) => list.every((term) => !common.has(term)));
}

/** About how many documents have these terms, without those that are common in no month. */
export function countCommon(db: Db, table: string, terms: readonly number[] = []): number {
  const common = commonTerms(db, table);
  return terms.reduce((sum, term) => sum + (common?.get(term) ?? 0), 0);
}

async function readTerms(db: Db, table: string): Promise<CommonTerms> {
  const isDistributed = await db.isDistributed();
  const rows = isDistributed ? await readOnWorkers(db, table) : await db.query<Statistics>(statistics(table));
  const counts = new Map<number, number>();
  for (const { terms, shares, documents } of rows)
    for (const [index, term] of terms.entries())
      counts.set(term, (counts.get(term) ?? 0) + (shares[index] ?? 0) * documents);
  return counts;
}

function statistics(table: string, isShards = false): Sql {
  const parents = isShards
    ? `i.inhparent::regclass::text ~ '^${table}_[0-9]+$'`
    : `i.inhparent = '${table}'::regclass`;
  return raw(`select s.most_common_elems::text::int4[] as terms, s.most_common_elem_freqs as shares,
      greatest(c.reltuples, 0) as documents
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    join pg_stats s on s.schemaname = current_schema() and s.tablename = c.relname and s.attname = 'terms'
    where ${parents} and s.most_common_elems is not null`);
}

/** Only the workers have documents, and so statistics; one that is down has none. */
async function readOnWorkers(db: Db, table: string): Promise<Statistics[]> {
  const command = sql`select coalesce(json_agg(s), '[]') from (${statistics(table, true)}) s`;
  const rows = await db.query<{ result: string }>(
    sql`select result from run_command_on_workers(${render(command).text}) where success`,
  );
  return rows.flatMap(({ result }) => JSON.parse(result) as Statistics[]);
}

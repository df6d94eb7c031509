import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

type Cached = { readAt: number; terms?: ReadonlySet<number> };

const cache = new WeakMap<object, Map<string, Cached>>();
const maxAgeMs = 10 * 60_000;

/**
 * The terms that PostgreSQL's statistics know as common in one of the partitions; undefined until they have been read. They
 * are read beside the searches, and only decide which of two ways to a page is tried first.
 */
export function commonTerms(db: Db, table: string): ReadonlySet<number> | undefined {
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

async function readTerms(db: Db, table: string): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ terms: number[] }>(
    sql`select s.most_common_elems::text::int4[] as terms
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      join pg_stats s on s.schemaname = current_schema() and s.tablename = c.relname and s.attname = 'terms'
      where i.inhparent = ${table}::regclass and s.most_common_elems is not null`,
  );
  const terms = new Set<number>();
  for (const row of rows) for (const term of row.terms) terms.add(term);
  return terms;
}

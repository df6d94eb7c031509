import { createBoundedMap } from '../../../lib/createBoundedMap.ts';
import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { empty } from '../../../lib/sql.ts';
import type { Db } from '../../db/db.ts';
import type { DocumentScope, DocumentTable } from '../documents/documentTable.ts';
import {
  type Basis,
  buildSearch,
  type CompiledSearch,
  compileSearch,
  createQueryBudget,
  type PreparedSearch,
  prepareSearch,
  type QueryInput,
  readBasis,
} from './compileQuery.ts';

type Kept = { prepared: PreparedSearch; basis?: Basis; compiled?: CompiledSearch };

/** By database and table; the one that was used last is the last. */
const databases = new WeakMap<object, WeakMap<DocumentTable, Map<string, Kept>>>();
/** With some ten kilobytes each. */
const maxKept = 300;
const maxLength = 500;

/**
 * As `compileSearch`, with a cache for questions that consoles and dashboards repeat. Its dependencies are read each
 * time, and a change rebuilds the search.
 */
export async function compileRepeated(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  input: QueryInput,
  now: number,
): Promise<CompiledSearch> {
  const key = keyOf(scope, input);
  if (key === undefined || !db.cacheKey) return compileSearch(db, table, scope, input, now);
  const searches = searchesOf(db.cacheKey, table);
  const cached = searches.get(key) ?? { prepared: prepareSearch(table, input, now, createQueryBudget()) };
  searches.set(key, cached);
  if (cached.prepared.parsed && !cached.compiled) await yieldToEventLoop();
  const basis = await readBasis(db, table, scope, cached.prepared);
  if (cached.compiled && cached.basis && isSame(cached.basis, basis)) return cached.compiled;
  const compiled = await buildSearch(db, table, scope, cached.prepared, basis);
  // Not cached without statements: its rows were rechecked one by one.
  if (compiled.statements) Object.assign(cached, { basis, compiled });
  return compiled;
}

/** Undefined for what depends on more than this: `now` begins a date that moves, and a backslash could hide it. */
function keyOf({ key, foreign }: DocumentScope, { query = '', timeseries }: QueryInput): string | undefined {
  if (key === undefined || foreign || timeseries || query.length > maxLength) return undefined;
  return /(?<![A-Za-z0-9_])now|\\/.test(query) ? undefined : `${key} ${query}`;
}

function searchesOf(database: object, table: DocumentTable): Map<string, Kept> {
  const tables = databases.get(database) ?? new WeakMap<DocumentTable, Map<string, Kept>>();
  databases.set(database, tables);
  const searches = tables.get(table) ?? createBoundedMap<string, Kept>(maxKept);
  tables.set(table, searches);
  return searches;
}

/** Of the same search, so that the tenant it names is the same. */
function isSame(left: Basis, right: Basis): boolean {
  return (
    (left.ofTenant === empty) === (right.ofTenant === empty) &&
    left.version === right.version &&
    left.common === right.common &&
    haveSameWords(left.words, right.words)
  );
}

function haveSameWords(left: Basis['words'], right: Basis['words']): boolean {
  if (!left || !right) return left === right;
  if (left.size !== right.size) return false;
  for (const [pattern, words] of left) {
    const rest = right.get(pattern);
    if (rest?.length !== words.length || words.some((word, index) => word !== rest[index])) return false;
  }
  return true;
}

import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { renderOnce, type Sql } from '../../lib/sql.ts';
import type { CompiledSearch } from './compile/compileQuery.ts';
import type { SortItem } from './documents/documentSort.ts';
import type { Page } from './searchCandidates.ts';

/** Pages of one search whose statements are kept. */
const maxPages = 8;

/** Keeps the statements of a search with the search itself, for pages that show these members. */
export function createReuse(
  { statements }: CompiledSearch,
  { from = 0, size = 10, sort }: { from?: number; size?: number; sort?: readonly SortItem[] },
  names: readonly string[] | undefined,
): Page['reuse'] {
  if (!statements || !names) return (_name, make) => make();
  const cached = statements.get(names) ?? createBoundedMap<string, Sql>(maxPages);
  statements.set(names, cached);
  const page = `${from} ${size} ${sort ? JSON.stringify(sort) : ''}`;
  return (name, make) => {
    const key = `${name} ${page}`;
    const statement = cached.get(key);
    if (statement) return statement;
    const made = renderOnce(make());
    cached.set(key, made);
    return made;
  };
}

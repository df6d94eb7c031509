import { sql } from '../../lib/sql.ts';
import type { Store } from '../db.ts';

/** So many new alerts may wait to be sorted in; a search reads all of those that wait. */
const waitingAtMost = 1000;

type Sorting = { waiting: number; last: Promise<unknown> };
const sortings = new WeakMap<Store, Sorting>();

/**
 * Counts alerts that are about to be raised and sees to it that their terms are sorted into the index, many at once and
 * beside the transactions that raise them, of which one in a few would otherwise have to do it for all.
 */
export async function sortTerms(store: Store, count: number): Promise<void> {
  const sorting = sortings.get(store) ?? { waiting: 0, last: Promise.resolve() };
  sortings.set(store, sorting);
  sorting.waiting += count;
  if (sorting.waiting < waitingAtMost) return;
  sorting.waiting = 0;
  // Whoever raises faster than terms are sorted is held up here.
  await sorting.last;
  // It fails where another role owns the index: PostgreSQL then sorts by itself, and no alert must be lost over it.
  sorting.last = store
    .query(
      sql`select gin_clean_pending_list(inhrelid::regclass) from pg_inherits where inhparent = 'alert_terms'::regclass`,
    )
    .catch(() => undefined);
}

import { sql } from '../../lib/sql.ts';
import type { Store } from '../db.ts';

/** So many new alerts may wait to be sorted in; a search reads all of those that wait. */
const maxPendingAlerts = 1000;

type Flush = { pending: number; last: Promise<unknown> };
const flushes = new WeakMap<Store, Flush>();

/**
 * Counts alerts that are about to be raised and sees to it that their terms are sorted into the index, many at once and
 * beside the transactions that raise them, of which one in a few would otherwise have to do it for all.
 */
export async function flushPendingTerms(store: Store, count: number): Promise<void> {
  const flush = flushes.get(store) ?? { pending: 0, last: Promise.resolve() };
  flushes.set(store, flush);
  flush.pending += count;
  if (flush.pending < maxPendingAlerts) return;
  flush.pending = 0;
  // Whoever raises faster than terms are sorted is held up here.
  await flush.last;
  // It fails where another role owns the index: PostgreSQL then sorts by itself, and no alert must be lost over it.
  flush.last = store
    .query(
      sql`select gin_clean_pending_list(inhrelid::regclass) from pg_inherits where inhparent = 'alert_terms'::regclass`,
    )
    .catch(() => undefined);
}

import { sql } from '../../lib/sql.ts';
import type { Store } from '../db.ts';

/** A search reads the whole pending list of the index, so it must stay short. */
const maxPendingAlerts = 1000;

type Flush = { pending: number; last: Promise<unknown> };
const flushes = new WeakMap<Store, Flush>();

/**
 * Counts new alerts and flushes the pending list of the term index in batches, outside of the transactions that raise
 * alerts, one of which would otherwise have to do it for all.
 */
export async function flushPendingTerms(store: Store, count: number): Promise<void> {
  const flush = flushes.get(store) ?? { pending: 0, last: Promise.resolve() };
  flushes.set(store, flush);
  flush.pending += count;
  if (flush.pending < maxPendingAlerts) return;
  flush.pending = 0;
  // Back-pressure: alerts are not raised faster than terms are flushed.
  await flush.last;
  // Fails if another role owns the index; PostgreSQL then flushes by itself, so the error is ignored.
  flush.last = store
    .query(
      sql`select gin_clean_pending_list(inhrelid::regclass) from pg_inherits where inhparent = 'alert_terms'::regclass`,
    )
    .catch(() => undefined);
}

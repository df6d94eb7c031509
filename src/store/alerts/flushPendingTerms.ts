import { sql } from '../../lib/sql.ts';
import type { Store } from '../db.ts';

/** A search reads the whole pending list of the index, which takes it about 0.7 ms for as many alerts. */
const fewPendingAlerts = 1000;
/**
 * While alerts come fast, more of them are flushed at once: each flush writes the entry of every word that it adds to again,
 * with all alerts that have the word.
 */
const maxPendingAlerts = 4000;
const pauseMs = 2000;

type Flush = { pending: number; startedAt: number; last: Promise<unknown> };
const flushes = new WeakMap<Store, Flush>();

/**
 * Counts new alerts and flushes the pending list of the term index in batches, outside of the transactions that raise
 * alerts, one of which would otherwise have to do it for all.
 */
export async function flushPendingTerms(store: Store, count: number): Promise<void> {
  const flush = flushes.get(store) ?? { pending: 0, startedAt: -pauseMs, last: Promise.resolve() };
  flushes.set(store, flush);
  flush.pending += count;
  const isSoon = performance.now() - flush.startedAt < pauseMs;
  if (flush.pending < (isSoon ? maxPendingAlerts : fewPendingAlerts)) return;
  flush.pending = 0;
  flush.startedAt = performance.now();
  // Back-pressure: alerts are not raised faster than terms are flushed.
  await flush.last;
  // Fails if another role owns the index; PostgreSQL then flushes by itself, so the error is ignored.
  flush.last = flushIndexes(store).catch(() => undefined);
}

async function flushIndexes(store: Store): Promise<void> {
  if (await store.isDistributed()) await store.query(sql`select run_command_on_workers(${flushShards})`);
  else
    await store.query(
      sql`select gin_clean_pending_list(inhrelid::regclass) from pg_inherits where inhparent = 'alert_terms'::regclass`,
    );
}

/** The coordinator has no rows of these indexes. */
const flushShards = `select count(gin_clean_pending_list(oid)) from pg_class
  where relkind = 'i' and relname ~ '^alert_[0-9]{4}_[0-9]{2}_terms_idx_[0-9]+$'`;

import { sql } from '../../../lib/sql.ts';
import { asOwner, type Store } from '../../db/db.ts';

/** A search reads the whole pending list of the index, which takes it about 0.7 ms for as many alerts. */
const fewPendingAlerts = 1000;
/**
 * While alerts come fast, more of them are flushed at once: each flush writes the entry of every word that it adds to again,
 * with all alerts that have the word.
 */
const maxPendingAlerts = 4000;
const pauseMs = 2000;

type Flush = { pending: number; startedAt: number; last: Promise<unknown> };
/** By shard group; one for who does not know the groups of its alerts. */
const flushes = new WeakMap<Store, Map<number | undefined, Flush>>();

/**
 * Counts new alerts and flushes the pending list of the term index in batches. Otherwise one raising transaction would
 * have to flush it for all. Each shard group waits only for its own server.
 */
export async function flushPendingTerms(store: Store, count: number, group?: number): Promise<void> {
  const ofStore = flushes.get(store) ?? new Map<number | undefined, Flush>();
  flushes.set(store, ofStore);
  const flush = ofStore.get(group) ?? { pending: 0, startedAt: -pauseMs, last: Promise.resolve() };
  ofStore.set(group, flush);
  flush.pending += count;
  const isSoon = performance.now() - flush.startedAt < pauseMs;
  if (flush.pending < (isSoon ? maxPendingAlerts : fewPendingAlerts)) return;
  flush.pending = 0;
  flush.startedAt = performance.now();
  // Back-pressure: alerts are not raised faster than terms are flushed.
  await flush.last;
  // Fails if another role owns the index; PostgreSQL then flushes by itself, so the error is ignored.
  flush.last = flushIndexes(store, group).catch(() => undefined);
}

async function flushIndexes(store: Store, group: number | undefined): Promise<void> {
  if (await store.isDistributed())
    await store.query(
      group === undefined
        ? sql`select run_command_on_workers(${flushShards})`
        : sql`select master_run_on_worker(array[nodename], array[nodeport], array[${flushShards}::text], false)
            from pg_dist_node where groupid = ${group} and noderole = 'primary'`,
    );
  else
    await asOwner(store).query(
      sql`select gin_clean_pending_list(inhrelid::regclass) from pg_inherits where inhparent = 'alert_terms'::regclass`,
    );
}

/** The coordinator has no rows of these indexes. */
const flushShards = `select count(gin_clean_pending_list(oid)) from pg_class
  where relkind = 'i' and relname ~ '^alert_[0-9]{4}_[0-9]{2}(_[0-9]{2})?_terms_idx_[0-9]+$'`;

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
/** By the worker that has the alerts; one where there is none, or it is not known yet. */
const flushes = new WeakMap<Store, Map<string | undefined, Flush>>();

/**
 * Counts new alerts and flushes the pending list of the term index in batches. Otherwise one raising transaction would
 * have to flush it for all. Only the worker of `tenantId` is waited for.
 */
export async function flushPendingTerms(store: Store, count: number, tenantId: number): Promise<void> {
  const worker = store.workerOf?.(tenantId);
  const ofStore = flushes.get(store) ?? new Map<string | undefined, Flush>();
  flushes.set(store, ofStore);
  const flush = ofStore.get(worker) ?? { pending: 0, startedAt: -pauseMs, last: Promise.resolve() };
  ofStore.set(worker, flush);
  flush.pending += count;
  const isSoon = performance.now() - flush.startedAt < pauseMs;
  if (flush.pending < (isSoon ? maxPendingAlerts : fewPendingAlerts)) return;
  flush.pending = 0;
  flush.startedAt = performance.now();
  // Back-pressure: alerts are not raised faster than terms are flushed.
  await flush.last;
  // Fails if another role owns the index; PostgreSQL then flushes by itself, so the error is ignored.
  flush.last = flushIndexes(store, tenantId).catch(() => undefined);
}

async function flushIndexes(store: Store, tenantId: number): Promise<void> {
  if (await store.isDistributed())
    await store.query(
      sql`select master_run_on_worker(array[n.nodename], array[n.nodeport], array[${flushShards}::text], false)
        from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
        where p.shardid = get_shard_id_for_distribution_column('alert', ${tenantId}::bigint) and p.shardstate = 1`,
    );
  else
    await asOwner(store).query(
      sql`select gin_clean_pending_list(inhrelid::regclass) from pg_inherits where inhparent = 'alert_terms'::regclass`,
    );
}

/** The coordinator has no rows of these indexes. */
const flushShards = `select count(gin_clean_pending_list(oid)) from pg_class
  where relkind = 'i' and relname ~ '^alert_[0-9]{4}_[0-9]{2}(_[0-9]{2})?_terms_idx_[0-9]+$'`;

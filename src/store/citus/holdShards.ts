import { getOrThrow } from '../../lib/getOrThrow.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db.ts';

/** PostgreSQL's number of SHARE, which Citus takes for a statement that writes, and which moving a shard waits for. */
const shareLock = 5;

/** Of one shard it does not matter which it is. */
const onlyWorker = 0;

type Places = { shards: number[]; workers: Record<number, number> };

/** The items of one shard, with one of its tenants. */
export type HeldShard<Item> = { worker: number; tenantId: number; items: readonly Item[] };

/**
 * The items by the shards of their tenants, in an order in which two transactions cannot wait for each other; keeps the shards
 * where they are until the transaction ends. Citus does so for statements that it plans; of what `run_on_shards` writes it knows
 * nothing, and a shard that moves meanwhile would leave it behind.
 */
export async function holdShards<Item>(
  tx: Db,
  items: readonly Item[],
  tenantOf: (item: Item) => number,
): Promise<HeldShard<Item>[]> {
  const ids = [...new Set(items.map(tenantOf))];
  const [tenantId, another] = ids;
  if (tenantId === undefined) return [];
  if (another === undefined) {
    const shard = sql`get_shard_id_for_distribution_column('alert', ${tenantId}::bigint)`;
    await tx.prepared(sql`select lock_shard_metadata(${shareLock}, array[${shard}])`);
    return [{ worker: onlyWorker, tenantId, items }];
  }
  const { places } = onlyRow(
    await tx.prepared<{ places: Places }>(sql`select hold_shards(${ids}::bigint[], ${shareLock}) as places`),
  );
  const shardOf = new Map(ids.map((id, n) => [id, places.shards[n]!]));
  const held = Array.from(
    groupBy(items, (item) => getOrThrow(shardOf, tenantOf(item))),
    ([shard, own]) => {
      const worker = places.workers[shard];
      if (worker === undefined) throw new Error(`The shard ${shard} is on no worker.`);
      return { shard, worker, tenantId: tenantOf(own[0]), items: own };
    },
  );
  return held.toSorted((a, b) => a.worker - b.worker || a.shard - b.shard);
}

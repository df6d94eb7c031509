import { getOrThrow } from '../../../lib/getOrThrow.ts';
import { groupBy } from '../../../lib/groupBy.ts';
import { settleAll } from '../../../lib/settleAll.ts';
import { type Sql, sql } from '../../../lib/sql.ts';
import { type Db, onlyRow } from '../db.ts';

/** PostgreSQL's number of SHARE, which Citus takes for a statement that writes, and which moving a shard waits for. */
const shareLock = 5;

/** Of one shard it does not matter which it is. */
const onlyWorker = 0;

/** The result of `hold_shards`. */
type Places = { shards: number[]; workers: Record<number, number> };
type Place = { shard: number; worker: number };

/** Shard and worker of the tenants whose shards a transaction holds. */
const heldBy = new WeakMap<Db, ReadonlyMap<number, Place>>();

/**
 * Runs a statement with an expression, as `places`, that holds the shards of these tenants until the transaction ends, for all that
 * follows in it.
 */
export async function holdWith<Row extends object>(
  tx: Db,
  tenantIds: readonly number[],
  statement: (hold: Sql) => Sql,
): Promise<Row[]> {
  const shards = tenantIds.map((id) => tx.shardOf?.get(id));
  if (!shards.every((shard) => shard !== undefined)) {
    const hold = sql`hold_shards(${tenantIds}::bigint[], ${shareLock})`;
    const rows = await tx.prepared<Row & { places: Places }>(statement(hold));
    const { places } = onlyRow(rows);
    noteHeld(tx, tenantIds, places.shards, (shard) => places.workers[shard]);
    return rows;
  }
  const held = [...new Set(shards)];
  try {
    const [rows, places] = await settleAll([
      tx.prepared<Row>(statement(sql`lock_shard_metadata(${shareLock}, ${held}::bigint[])`)),
      // A statement of its own, which sees where they have moved to before they were locked.
      tx.prepared<Place>(
        sql`select shardid as shard, groupid as worker from pg_dist_placement
          where shardid = any(${held}::bigint[]) and shardstate = 1`,
      ),
    ]);
    const workers = new Map(places.map(({ shard, worker }) => [shard, worker]));
    noteHeld(tx, tenantIds, shards, (shard) => workers.get(shard));
    return rows;
  } catch (error) {
    // One of them may have been split: the next attempt looks for them again.
    tx.shardOf?.clear();
    throw error;
  }
}

const maxKnown = 100_000;

function noteHeld(
  tx: Db,
  tenantIds: readonly number[],
  shards: readonly number[],
  workerOf: (shard: number) => number | undefined,
): void {
  const held = new Map(heldBy.get(tx));
  if ((tx.shardOf?.size ?? 0) > maxKnown) tx.shardOf?.clear();
  for (const [n, id] of tenantIds.entries()) {
    const shard = shards[n]!;
    const worker = workerOf(shard);
    if (worker === undefined) throw new Error(`The shard ${shard} is on no worker.`);
    held.set(id, { shard, worker });
    tx.shardOf?.set(id, shard);
  }
  heldBy.set(tx, held);
}

/** The items of one shard, with one of its tenants. */
export type HeldShard<Item> = { worker: number; tenantId: number; items: readonly Item[] };

/**
 * Groups items by shard, in a fixed order against deadlocks, and holds the shards until the transaction ends. Citus
 * does not know about writes by `run_on_shards`, so a moving shard would lose them.
 */
export async function holdShards<Item>(
  tx: Db,
  items: readonly Item[],
  tenantOf: (item: Item) => number,
): Promise<HeldShard<Item>[]> {
  const ids = [...new Set(items.map(tenantOf))];
  const [tenantId, another] = ids;
  if (tenantId === undefined) return [];
  if (ids.some((id) => !heldBy.get(tx)?.has(id))) {
    if (another === undefined) {
      const shard = sql`get_shard_id_for_distribution_column('alert', ${tenantId}::bigint)`;
      await tx.prepared(sql`select lock_shard_metadata(${shareLock}, array[${shard}])`);
      return [{ worker: onlyWorker, tenantId, items }];
    }
    await holdWith(tx, ids, (hold) => sql`select ${hold} as places`);
  }
  const placeOf = (item: Item) => getOrThrow(heldBy.get(tx)!, tenantOf(item));
  return Array.from(
    groupBy(items, (item) => placeOf(item).shard),
    ([, shardItems]) => ({ ...placeOf(shardItems[0]), tenantId: tenantOf(shardItems[0]), items: shardItems }),
  ).toSorted((a, b) => a.worker - b.worker || a.shard - b.shard);
}

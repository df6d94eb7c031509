import { getOrThrow } from '../../lib/getOrThrow.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { type Sql, sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db.ts';

/** PostgreSQL's number of SHARE, which Citus takes for a statement that writes, and which moving a shard waits for. */
const shareLock = 5;

/** Of one shard it does not matter which it is. */
const onlyWorker = 0;

/** What `hold_shards` returns. */
export type Places = { shards: number[]; workers: Record<number, number> };
type Place = { shard: number; worker: number };

/** Where the tenants are whose shards a transaction holds. */
const heldBy = new WeakMap<Db, ReadonlyMap<number, Place>>();

/** An expression that holds the shards of these tenants; `noteHeld` takes its value. */
export const holdSql = (tenantIds: readonly number[]): Sql =>
  sql`hold_shards(${tenantIds}::bigint[], ${shareLock})`;

/** What follows in the transaction need not hold these shards again. */
export function noteHeld(tx: Db, tenantIds: readonly number[], { shards, workers }: Places): void {
  const places = tenantIds.map((id, n): [number, Place] => {
    const shard = shards[n]!;
    const worker = workers[shard];
    if (worker === undefined) throw new Error(`The shard ${shard} is on no worker.`);
    return [id, { shard, worker }];
  });
  heldBy.set(tx, new Map([...(heldBy.get(tx) ?? []), ...places]));
}

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
  if (ids.some((id) => !heldBy.get(tx)?.has(id))) {
    if (another === undefined) {
      const shard = sql`get_shard_id_for_distribution_column('alert', ${tenantId}::bigint)`;
      await tx.prepared(sql`select lock_shard_metadata(${shareLock}, array[${shard}])`);
      return [{ worker: onlyWorker, tenantId, items }];
    }
    const rows = await tx.prepared<{ places: Places }>(sql`select ${holdSql(ids)} as places`);
    noteHeld(tx, ids, onlyRow(rows).places);
  }
  const placeOf = (item: Item) => getOrThrow(heldBy.get(tx)!, tenantOf(item));
  return Array.from(
    groupBy(items, (item) => placeOf(item).shard),
    ([, own]) => ({ ...placeOf(own[0]), tenantId: tenantOf(own[0]), items: own }),
  ).toSorted((a, b) => a.worker - b.worker || a.shard - b.shard);
}

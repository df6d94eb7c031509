import { groupBy } from '../../../lib/groupBy.ts';
import { sql } from '../../../lib/sql.ts';
import type { Db } from '../db.ts';

/**
 * Items by the shards of their tenants, each with one of these tenants; in the order of shards, so that two transactions cannot
 * wait for each other.
 */
export async function groupByShard<Item>(
  db: Db,
  items: readonly Item[],
  tenantOf: (item: Item) => number,
): Promise<[tenantId: number, items: readonly Item[]][]> {
  const ids = [...new Set(items.map(tenantOf))];
  const [first, second] = ids;
  if (first === undefined) return [];
  if (second === undefined) return [[first, items]];
  const shards = await db.prepared<{ id: number; shard: number }>(
    sql`select t.id, s.shardid as shard from unnest(${ids}::bigint[]) t(id)
      join pg_dist_shard s on s.logicalrelid = 'alert'::regclass
        and worker_hash(t.id) between s.shardminvalue::int and s.shardmaxvalue::int`,
  );
  const shardOf = new Map(shards.map(({ id, shard }) => [id, shard]));
  const groups = [...groupBy(items, (item) => shardOf.get(tenantOf(item)) ?? 0)];
  return groups.toSorted(([a], [b]) => a - b).map(([, shardItems]) => [tenantOf(shardItems[0]), shardItems]);
}

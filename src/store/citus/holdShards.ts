import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { inShardOrder, type ShardOf } from './groupByShard.ts';

/** PostgreSQL's number of SHARE, which Citus takes for a statement that writes, and which moving a shard waits for. */
const shareLock = 5;

/**
 * As `groupByShard`, and keeps the shards where they are until the transaction ends. Citus does so for statements that it plans; of
 * what `run_on_shard` writes it knows nothing, and a shard that moves meanwhile would leave it behind.
 */
export async function holdShards<Item>(
  tx: Db,
  items: readonly Item[],
  tenantOf: (item: Item) => number,
): Promise<[tenantId: number, items: readonly Item[]][]> {
  const ids = [...new Set(items.map(tenantOf))];
  if (ids.length === 0) return [];
  const shards = await tx.prepared<ShardOf>(
    sql`with placed as materialized (
        select id, get_shard_id_for_distribution_column('alert', id) as shard from unnest(${ids}::bigint[]) t(id)),
      held as materialized (select lock_shard_metadata(${shareLock}, array_agg(distinct shard)) from placed)
      select id, shard from placed, held`,
  );
  return inShardOrder(items, tenantOf, shards);
}

import { sql } from '../../../lib/sql.ts';
import type { Db } from '../db.ts';

/** The only group where nothing is distributed. */
export const localGroup = 0;

/**
 * The group of each tenant: its alerts are on one worker, so one transaction there writes them. Plain PostgreSQL has
 * one group. Shards move, so an answer holds only for now.
 */
export async function findShardGroups(db: Db, tenantIds: Iterable<number>): Promise<Map<number, number>> {
  const ids = [...new Set(tenantIds)];
  if (!(await db.isDistributed())) return new Map(ids.map((id) => [id, localGroup]));
  const rows = await db.prepared<{ id: number; group: number }>(
    sql`select t.id, p.groupid as group from unnest(${ids}::bigint[]) t(id)
      join pg_dist_shard s on s.logicalrelid = 'alert'::regclass
        and worker_hash(t.id) between s.shardminvalue::int and s.shardmaxvalue::int
      join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1`,
  );
  return new Map(rows.map(({ id, group }) => [id, group]));
}

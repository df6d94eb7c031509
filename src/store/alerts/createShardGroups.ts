import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { Store } from '../db/db.ts';
import { findShardGroups } from '../db/shards/findShardGroups.ts';
import type { FindGroups } from './groupWrites.ts';

const keepMs = 1000;
const maxKept = 10_000;

/**
 * Finds the groups of tenants, cached for a second: every block asks, and shards rarely move. Rows for the group that a
 * shard just left are still written, with later rows behind them.
 */
export function createShardGroups(
  store: Store,
  now: () => number = () => performance.now(),
): () => Promise<FindGroups | undefined> {
  const cache = createBoundedMap<number, { group: number; until: number }>(maxKept);
  const find: FindGroups = async (db, tenantIds) => {
    const ids = [...new Set(tenantIds)];
    const groups = new Map<number, number>();
    for (const id of ids) {
      const cached = cache.get(id);
      if (cached && cached.until > now()) groups.set(id, cached.group);
    }
    const unknown = ids.filter((id) => !groups.has(id));
    if (unknown.length === 0) return groups;
    for (const [id, group] of await findShardGroups(db, unknown)) {
      groups.set(id, group);
      cache.set(id, { group, until: now() + keepMs });
    }
    return groups;
  };
  return async () => ((await store.isDistributed()) ? find : undefined);
}

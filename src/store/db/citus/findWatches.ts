import type { HangWatch } from './createHangWatch.ts';
import type { Placements } from './openPlacements.ts';
import { readTenants } from './readTenants.ts';
import type { WorkerWatches } from './watchWorkers.ts';

type Query = { text: string; values: readonly unknown[] };

/**
 * The watches of the workers that a statement needs. A tenant whose worker is not known yet has none, because no statement may
 * wait for another one here.
 */
export function findWatches(
  query: Query,
  placements: Placements,
  watches: WorkerWatches,
): readonly HangWatch[] {
  const tenantIds = readTenants(query);
  if (tenantIds === undefined) return [];
  if (tenantIds === 'all') return placements.workers().map(watches.of);
  return watchesOfTenants(tenantIds, placements, watches);
}

export function watchesOfTenants(
  tenantIds: readonly number[],
  placements: Placements,
  watches: WorkerWatches,
): readonly HangWatch[] {
  const needed = new Set<HangWatch>();
  for (const tenantId of tenantIds) {
    const placement = placements.peek(tenantId);
    if (!placement) continue;
    const watch = watches.of(placement);
    // A standby may have replaced it.
    if (watch.isSilent) placements.refresh(tenantId);
    needed.add(watch);
  }
  return [...needed];
}

import { platformTenant } from '../../model/metrics.ts';
import type { Db } from '../../store/db/db.ts';
import { readSamples } from '../../store/telemetry/readSamples.ts';

const minuteMs = 60_000;
const minutes = 10;

/** Calls to the nodes of each chain in a minute, over the last ten that are complete; chains without any are left out. */
export async function countNodeCalls(db: Db, now: number): Promise<ReadonlyMap<string, number>> {
  const end = now - (now % minuteMs);
  const from = end - minutes * minuteMs;
  const sums = await readSamples(db, {
    metric: 'rpc_calls',
    tenantIds: [platformTenant],
    tags: new Map(),
    split: ['chain'],
    from,
    to: end - minuteMs,
    starts: [from],
  });
  return new Map(sums.map(({ parts, value }) => [String(parts[0]), Math.round((10 * value) / minutes) / 10]));
}

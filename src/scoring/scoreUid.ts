import { timedUid } from '../lib/uid.ts';

/** The same change always gets the same uid. */
export function scoreUid(place: {
  tenantId: number;
  instanceId: number;
  timestamp: number;
  i: number;
}): string {
  const { tenantId, instanceId, timestamp, i } = place;
  return timedUid(timestamp, ['score', tenantId, instanceId, timestamp, i]);
}

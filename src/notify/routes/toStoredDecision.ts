import type { StoredDecision } from '../../store/destinations/alertDecisions.ts';
import type { NotificationDecision, Way } from '../decideNotification.ts';

/** A decision as the outcome of an alert tells it later. */
export function toStoredDecision({
  code,
  silenceIds,
  inhibitionIds,
  taken,
}: NotificationDecision<Way>): StoredDecision {
  return {
    code,
    ...(silenceIds.length > 0 ? { silenceIds } : {}),
    ...(inhibitionIds.length > 0 ? { inhibitionIds } : {}),
    ...(taken.length > 0
      ? { routes: taken.map(({ route, held, destinationIds }) => ({ id: route.id, held, destinationIds })) }
      : {}),
  };
}

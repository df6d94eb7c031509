import type { Stoppable } from '../lib/createLifecycle.ts';
import { startPoller } from '../lib/startPoller.ts';
import type { Store } from '../store/db/db.ts';
import { pollDue } from '../store/db/pollDue.ts';
import { isHeldDue, releaseHeld } from '../store/destinations/heldDeliveries.ts';

/** Releases deliveries that waited for confirmations, until it is stopped. */
export function startHeldDeliveries({
  store,
  now,
  onError,
}: {
  store: Store;
  now: () => number;
  onError: (error: unknown) => void;
}): Stoppable {
  return startPoller(
    async () => {
      while ((await releaseHeld(store, now())) > 0);
    },
    { whenDue: (wake) => pollDue(store, () => isHeldDue, wake), onError },
  );
}

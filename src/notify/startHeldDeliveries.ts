import { createCoalescedLoop } from '../lib/createCoalescedLoop.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import type { Store } from '../store/db/db.ts';
import { releaseHeld } from '../store/destinations/heldDeliveries.ts';

const everyMs = 1000;

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
  const { wake, stop } = createCoalescedLoop(async () => {
    while ((await releaseHeld(store, now())) > 0);
  }, onError);
  const timer = setInterval(wake, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await stop();
    },
  };
}

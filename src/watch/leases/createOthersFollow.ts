import type { Store } from '../../store/db/db.ts';
import { pollDue } from '../../store/db/pollDue.ts';
import { isFollowedByOthers } from '../../store/watch/leases.ts';

/**
 * Says if another process follows a chain, as of a second ago. A process that is alone has no one to share chains with, and need
 * not ask for them.
 */
export function createOthersFollow(store: Store, holder: string) {
  let seenAt = performance.now();
  const stop = pollDue(
    store,
    () => isFollowedByOthers(holder),
    () => {
      seenAt = performance.now();
    },
  );
  return { isSo: () => performance.now() < seenAt + keptMs, stop };
}

/** After the last look that found one; also after the start, when none has looked yet. */
const keptMs = 3000;

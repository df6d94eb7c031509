import type { Db } from '../store/db.ts';
import { findHeldChains } from '../store/watch/leases.ts';

/** Below the time between two looks at the same chain, so that each sees something new. */
const maxAgeMs = 250;

/** Says whether a chain is free for this process; the chains look at about the same time and share one read. */
export function createFreeChains(db: Db, holder: string): (chainUid: string) => Promise<boolean> {
  let readAt = Number.NEGATIVE_INFINITY;
  let held: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  return async (chainUid) => {
    if (performance.now() > readAt + maxAgeMs) {
      readAt = performance.now();
      held = findHeldChains(db, holder);
    }
    return !(await held).has(chainUid);
  };
}

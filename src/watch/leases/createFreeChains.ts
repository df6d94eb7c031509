import type { Db } from '../../store/db/db.ts';
import { findHeldChains } from '../../store/watch/leases.ts';

/** Below the time between two looks at the same chain, so that each sees something new. */
const maxAgeMs = 250;
/** Longest wait for a process that stands by for a chain. */
const maxReservedMs = 2000;

/** Says whether a chain is free for this process; the chains look at about the same time and share one read. */
export function createFreeChains(
  db: Db,
  holder: string,
  now: () => number = () => performance.now(),
): (chainUid: string) => Promise<boolean> {
  let readAt = Number.NEGATIVE_INFINITY;
  let held: ReturnType<typeof findHeldChains> = Promise.resolve(new Map());
  const reservedAt = new Map<string, number>();
  return async (chainUid) => {
    if (now() > readAt + maxAgeMs) {
      readAt = now();
      held = findHeldChains(db, holder);
    }
    const by = (await held).get(chainUid);
    if (by !== 'reserved') {
      reservedAt.delete(chainUid);
      return by === undefined;
    }
    const since = reservedAt.get(chainUid) ?? now();
    reservedAt.set(chainUid, since);
    return now() >= since + maxReservedMs;
  };
}

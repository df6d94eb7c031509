import { settleWithin } from '../../lib/withTimeLimit.ts';
import type { Db } from '../../store/db/db.ts';
import { isAnyLeaseWanted, offerLeases } from '../../store/watch/leases.ts';
import type { Presence } from '../../store/watch/openPresence.ts';

const pollMs = 200;
/** Others ask within a moment, or cannot follow these chains. */
const maxUnwantedMs = 2000;
/** Reading a hundred thousand detectors of each of eight chains takes others about half of it. */
const maxMs = 60_000;

/**
 * Lets other processes prepare for the chains before this one stops. `ended` resolves when all are handed over; the
 * caller gives up the rest. Processes that stop together do not wait for each other.
 */
export async function leaveChains(
  db: Db,
  presence: Pick<Presence, 'holder' | 'leave'>,
  ended: Promise<unknown>,
): Promise<void> {
  const { holder } = presence;
  await presence.leave();
  if (!(await offerLeases(db, holder))) return;
  const startedAt = performance.now();
  let wantedAt = startedAt;
  for (;;) {
    const isOver = await settleWithin(
      pollMs,
      ended.then(() => true),
      () => false,
    );
    const now = performance.now();
    if (isOver || now > startedAt + maxMs) return;
    const isWanted = await isAnyLeaseWanted(db, holder);
    if (isWanted) wantedAt = now;
    else if (isWanted === undefined || now > wantedAt + maxUnwantedMs) return;
  }
}

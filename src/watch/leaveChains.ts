import { settleWithin } from '../lib/withTimeLimit.ts';
import type { Db } from '../store/db.ts';
import { isAnyLeaseWanted, offerLeases } from '../store/watch/leases.ts';

const pollMs = 200;
/** Others ask within a moment, or cannot follow these chains. */
const maxUnwantedMs = 2000;
/** Reading a hundred thousand detectors of each of eight chains takes others about half of it. */
const maxMs = 60_000;

/**
 * Lets other processes get ready for the chains of this one before it stops following them. `ended` resolves when all are handed
 * over; those that no one takes in time are given up by the caller.
 */
export async function leaveChains(db: Db, holder: string, ended: Promise<unknown>): Promise<void> {
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
    if (await isAnyLeaseWanted(db, holder)) wantedAt = now;
    else if (now > wantedAt + maxUnwantedMs) return;
  }
}

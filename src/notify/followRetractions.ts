import type { Db } from '../store/db.ts';
import { retractDeliveries } from '../store/destinations/followUps.ts';

/** What was not sent of retracted alerts is not sent any more, and who heard of them is told, in their own transaction. */
export function createFollowRetractions({ now }: { now: () => number }) {
  return async (tx: Db, retracted: readonly { tenantId: number; uid: string }[]): Promise<void> => {
    if (retracted.length > 0) await retractDeliveries(tx, retracted, now());
  };
}

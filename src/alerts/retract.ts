import { insertAlertEvents } from '../store/alerts/alertEvents.ts';
import { type Block, type RetractedAlert, retractAlerts } from '../store/alerts/retractAlerts.ts';
import type { Db } from '../store/db.ts';

/** Rows that must come into being along with a retraction, such as notices; only for what is retracted just now. */
export type FollowRetraction = (tx: Db, retracted: readonly RetractedAlert[]) => Promise<void>;

/**
 * The one way out: the blocks are no longer part of their chain, and what was found in them did not happen. Doing so again
 * changes nothing.
 */
export async function retract(
  tx: Db,
  gone: { chainUid: string; blocks: readonly Block[]; now: number },
  follow: readonly FollowRetraction[] = [],
): Promise<RetractedAlert[]> {
  const retracted = await retractAlerts(tx, gone.chainUid, gone.blocks, gone.now);
  await insertAlertEvents(tx, 'retracted', retracted);
  for (const write of follow) await write(tx, retracted);
  return retracted;
}

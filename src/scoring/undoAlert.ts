import type { Db } from '../store/db.ts';
import type { LaneFacts, ScoreWork } from '../store/scores/readLane.ts';
import { findLater, findStanding, rebase, writeReversal } from '../store/scores/undoChanges.ts';
import { applyChange, type Bounds, changeBetween } from './applyChange.ts';
import { scoreUid } from './scoreUid.ts';

type Retraction = Extract<ScoreWork, { type: 'retraction' }>;

const pageSize = 2000;

/**
 * Takes back what an alert did to the scores: each becomes exactly what it would be if the alert had never been, given
 * what the scripts asked for at all other events. Returns the next number.
 */
export async function undoAlert(tx: Db, lane: LaneFacts, work: Retraction, bounds: Bounds): Promise<number> {
  const standing = await findStanding(tx, lane, { uid: work.alertUid, timestamp: work.alertTimestamp });
  let i = lane.nextI;
  for (const change of standing) {
    const before = lane.standing[change.scoreGroup]!;
    const score = (await foldWithout(tx, lane, change, bounds)) ?? before;
    const place = { tenantId: lane.tenantId, instanceId: lane.instanceId, timestamp: work.at, i };
    await writeReversal(tx, lane, change, {
      i,
      uid: scoreUid(place),
      timestamp: work.at,
      score,
      scoreChange: changeBetween(before, score),
    });
    i++;
  }
  return i;
}

/** The present score without one change, or undefined if it makes no difference any more. */
async function foldWithout(
  tx: Db,
  lane: LaneFacts,
  change: { scoreGroup: string; i: number; base: number },
  bounds: Bounds,
): Promise<number | undefined> {
  let running = change.base;
  let after = change.i;
  for (;;) {
    const later = await findLater(tx, lane, { scoreGroup: change.scoreGroup, i: after }, pageSize);
    const moved: { timestamp: number; uid: string; base: number }[] = [];
    let isSame = false;
    for (const { timestamp, uid, i, base, asked } of later) {
      isSame = base === running;
      if (isSame) break;
      moved.push({ timestamp, uid, base: running });
      running = applyChange(running, asked, bounds).score;
      after = i;
    }
    await rebase(tx, lane, moved);
    if (isSame) return undefined;
    if (later.length < pageSize) return running;
  }
}

import type { Db } from '../store/db/db.ts';
import type { LaneState, ScoreWork } from '../store/scores/readLane.ts';
import {
  findLaterChanges,
  findUndoable,
  insertReversal,
  rebaseChanges,
} from '../store/scores/undoChanges.ts';
import { applyChange, type Bounds, changeBetween, scoreUid } from './applyChange.ts';

type Retraction = Extract<ScoreWork, { type: 'retraction' }>;

const pageSize = 2000;

/**
 * Undoes what an alert did to the scores: each becomes exactly what it would be without the alert, given the changes that the
 * scripts requested for all other events. Returns the next index.
 */
export async function undoAlert(tx: Db, lane: LaneState, work: Retraction, bounds: Bounds): Promise<number> {
  const changes = await findUndoable(tx, lane, { uid: work.alertUid, timestamp: work.alertTimestamp });
  let i = lane.nextI;
  for (const change of changes) {
    const before = lane.standing[change.scoreGroup];
    if (before === undefined) throw new Error(`The changed group ${change.scoreGroup} has no score.`);
    const score = (await foldWithout(tx, lane, change, bounds)) ?? before;
    const key = { tenantId: lane.tenantId, instanceId: lane.instanceId, timestamp: work.at, i };
    await insertReversal(tx, lane, change, {
      i,
      uid: scoreUid(key),
      timestamp: work.at,
      score,
      scoreChange: changeBetween(before, score),
    });
    i++;
  }
  return i;
}

/** The current score without one change; undefined when the change no longer makes a difference. */
async function foldWithout(
  tx: Db,
  lane: LaneState,
  change: { scoreGroup: string; i: number; base: number },
  bounds: Bounds,
): Promise<number | undefined> {
  let running = change.base;
  let after = change.i;
  for (;;) {
    const later = await findLaterChanges(tx, lane, { scoreGroup: change.scoreGroup, i: after }, pageSize);
    const moved: { timestamp: number; uid: string; base: number }[] = [];
    let isSame = false;
    for (const { timestamp, uid, i, base, requested } of later) {
      isSame = base === running;
      if (isSame) break;
      moved.push({ timestamp, uid, base: running });
      running = applyChange(running, requested, bounds).score;
      after = i;
    }
    await rebaseChanges(tx, lane, moved);
    if (isSame) return undefined;
    if (later.length < pageSize) return running;
  }
}

import { nextRun, parseSchedule } from '../lib/schedule.ts';
import type { Db } from '../store/db.ts';
import { findDueTicks, queueTicks, setFirstTick } from '../store/scores/ticks.ts';

const mostInstances = 1000;
/** After a long time away the rest comes at the next look. */
const mostTicks = 1000;

/** Queues what licenses have asked of the clock, every tick that has come since the last look, each once. */
export async function tickScores(db: Db, now: number): Promise<void> {
  for (const due of await findDueTicks(db, now, mostInstances)) {
    const schedule = parseSchedule(due.tick);
    if (due.nextTickAt === null) {
      await setFirstTick(db, due, nextRun(schedule, now));
      continue;
    }
    const times: number[] = [];
    let next = due.nextTickAt;
    while (next <= now && times.length < mostTicks) {
      times.push(next);
      next = nextRun(schedule, next);
    }
    await queueTicks(db, due, times, next, now);
  }
}

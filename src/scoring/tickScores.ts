import { nextRun, parseSchedule } from '../lib/schedule.ts';
import type { Db } from '../store/db/db.ts';
import { findDueTicks, queueTicks, setFirstTick } from '../store/scores/ticks.ts';

const maxInstances = 1000;
/** After a long downtime the rest follows in the next run. */
const maxTicks = 1000;

/** Queues every tick that is due by the schedules of licenses, each once. */
export async function tickScores(db: Db, now: number): Promise<void> {
  for (const due of await findDueTicks(db, now, maxInstances)) {
    const schedule = parseSchedule(due.tick);
    if (due.nextTickAt === null) {
      await setFirstTick(db, due, nextRun(schedule, now));
      continue;
    }
    const times: number[] = [];
    let next = due.nextTickAt;
    while (next <= now && times.length < maxTicks) {
      times.push(next);
      next = nextRun(schedule, next);
    }
    await queueTicks(db, due, times, next, now);
  }
}

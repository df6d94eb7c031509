import { type Cron, nextCronRun, parseCron } from './cron.ts';
import { parseDuration } from './duration.ts';

/** A recurring time: every so many milliseconds counted from the epoch, or by the calendar in UTC. */
export type Schedule =
  | { readonly type: 'every'; readonly ms: number }
  | { readonly type: 'cron'; readonly cron: Cron };

/** `10 min`, `1 day`, milliseconds, or a cron expression of five fields. */
export function parseSchedule(text: string | number): Schedule {
  const fields = String(text).trim().split(/\s+/);
  if (fields.length === 5) return { type: 'cron', cron: parseCron(fields) };
  if (fields.length > 2) {
    throw new RangeError(
      `'${String(text).slice(0, 60)}' is not a schedule: write a duration such as 10 min, or a cron expression of five fields (minute, hour, day of month, month, day of week) such as 0 6 * * MON.`,
    );
  }
  const ms = parseDuration(text);
  if (ms < minIntervalMs) {
    throw new RangeError(`A schedule of ${ms} ms is too often: once a second (1000 ms) is the most.`);
  }
  return { type: 'every', ms };
}

/** The first run later than `afterMs`. */
export function nextRun(schedule: Schedule, afterMs: number): number {
  switch (schedule.type) {
    case 'every':
      return (Math.floor(afterMs / schedule.ms) + 1) * schedule.ms;
    case 'cron':
      return nextCronRun(schedule.cron, afterMs);
  }
}

/** True if a run fell after `previousMs` and not after `nowMs`; several missed ones count as one. */
export function isDue(schedule: Schedule, previousMs: number, nowMs: number): boolean {
  return nextRun(schedule, previousMs) <= nowMs;
}

const minIntervalMs = 1_000;

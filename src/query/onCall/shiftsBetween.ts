import { createHandovers, type Duty, type IsPresent, onCallAt } from './onCallAt.ts';
import type { DutySchedule } from './schedule.ts';

/** A time in which the same user is on call by the same layer. */
export type Shift = Duty & { from: number; to: number };
export type Gap = { from: number; to: number };

/** Handovers that one call looks at: hourly turns in every layer for a quarter of a year. */
const maxSteps = 50_000;

/** All shifts and gaps in a time, cut at its ends. */
export function shiftsBetween(
  schedule: DutySchedule,
  from: number,
  to: number,
  isPresent: IsPresent,
): { shifts: Shift[]; gaps: Gap[] } {
  const shifts: Shift[] = [];
  const gaps: Gap[] = [];
  const nextHandover = createHandovers(schedule);
  let start = from;
  for (let step = 0; start < to; step++) {
    if (step > maxSteps) throw new RangeError('The time has too many handovers.');
    const duty = onCallAt(schedule, start, isPresent);
    const end = Math.min(nextHandover(start) ?? to, to);
    const last = duty ? shifts.at(-1) : gaps.at(-1);
    if (last?.to === start && isSame(duty, last)) last.to = end;
    else if (duty) shifts.push({ ...duty, from: start, to: end });
    else gaps.push({ from: start, to: end });
    start = end;
  }
  return { shifts, gaps };
}

function isSame(duty: Duty | undefined, last: Shift | Gap): boolean {
  return !duty || ('userId' in last && last.userId === duty.userId && last.layer === duty.layer);
}

/** The end of the time in which the same user, or no one, stays on call; undefined if it lies beyond the horizon. */
export function dutyEnd(
  schedule: DutySchedule,
  instant: number,
  isPresent: IsPresent,
  horizonMs: number,
): number | undefined {
  const userId = onCallAt(schedule, instant, isPresent)?.userId;
  const nextHandover = createHandovers(schedule);
  let end = nextHandover(instant);
  for (let step = 0; end !== undefined && end <= instant + horizonMs && step < maxSteps; step++) {
    if (onCallAt(schedule, end, isPresent)?.userId !== userId) return end;
    end = nextHandover(end);
  }
  return undefined;
}

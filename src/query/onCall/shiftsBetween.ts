import { createDuties, type Duty, type IsPresent } from './onCallAt.ts';
import type { DutySchedule } from './schedule.ts';

/** A time in which the same user is on call by the same layer. */
export type Shift = Duty & { from: number; to: number };
export type Gap = { from: number; to: number };

/** Shifts and gaps that one answer has: a hundred a day for a quarter of a year. */
const maxParts = 10_000;

/** Shifts and gaps in a time, cut at its ends. `to` is earlier than asked for where there are too many of them. */
export function shiftsBetween(
  schedule: DutySchedule,
  from: number,
  to: number,
  isPresent: IsPresent,
): { shifts: Shift[]; gaps: Gap[]; to: number } {
  const shifts: Shift[] = [];
  const gaps: Gap[] = [];
  const dutyAt = createDuties(schedule, isPresent);
  let start = from;
  while (start < to && shifts.length + gaps.length < maxParts) {
    const { duty, until } = dutyAt(start);
    const end = Math.min(until, to);
    const last = duty ? shifts.at(-1) : gaps.at(-1);
    if (last?.to === start && isSame(duty, last)) last.to = end;
    else if (duty) shifts.push({ ...duty, from: start, to: end });
    else gaps.push({ from: start, to: end });
    start = end;
  }
  return { shifts, gaps, to: Math.min(start, to) };
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
  const dutyAt = createDuties(schedule, isPresent);
  const { duty, until } = dutyAt(instant);
  let end = until;
  while (end <= instant + horizonMs) {
    const next = dutyAt(end);
    if (next.duty?.userId !== duty?.userId) return end;
    end = next.until;
  }
  return undefined;
}

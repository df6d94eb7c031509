import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import type { Duty, IsPresent } from './onCallAt.ts';
import type { DutySchedule } from './schedule.ts';
import { type DutySpan, walkDuties } from './walkDuties.ts';

/** A time in which the same user is on call by the same layer. */
export type Shift = Duty & { from: number; to: number };
export type Gap = { from: number; to: number };

/** Shifts and gaps of one answer: more than 50 a day for a quarter of a year. */
export const maxShifts = 5000;
/** Spans between two turns of others. */
const sliceSpans = 100;

/** All shifts and gaps in a time, cut at its ends. `end` is before `to` where they were too many. */
export async function shiftsBetween(
  schedule: DutySchedule,
  from: number,
  to: number,
  isPresent: IsPresent,
): Promise<{ shifts: Shift[]; gaps: Gap[]; end: number }> {
  const shifts: Shift[] = [];
  const gaps: Gap[] = [];
  for await (const { duty, from: start, to: end } of inTurns(walkDuties(schedule, from, to, isPresent))) {
    const last = duty ? shifts.at(-1) : gaps.at(-1);
    if (last?.to === start && isSame(duty, last)) last.to = end;
    else if (shifts.length + gaps.length >= maxShifts) return { shifts, gaps, end: start };
    else if (duty) shifts.push({ ...duty, from: start, to: end });
    else gaps.push({ from: start, to: end });
  }
  return { shifts, gaps, end: to };
}

function isSame(duty: Duty | undefined, last: Shift | Gap): boolean {
  return !duty || ('userId' in last && last.userId === duty.userId && last.layer === duty.layer);
}

/** True if anyone is on call at any time of these. */
export async function hasShift(
  schedule: DutySchedule,
  from: number,
  to: number,
  isPresent: IsPresent,
): Promise<boolean> {
  for await (const { duty } of inTurns(walkDuties(schedule, from, to, isPresent))) if (duty) return true;
  return false;
}

/** The end of the time in which the same user, or no one, stays on call; undefined if it lies beyond the horizon. */
export async function dutyEnd(
  schedule: DutySchedule,
  instant: number,
  isPresent: IsPresent,
  horizonMs: number,
): Promise<number | undefined> {
  let first: DutySpan | undefined;
  for await (const span of inTurns(walkDuties(schedule, instant, instant + horizonMs, isPresent))) {
    first ??= span;
    if (span.duty?.userId !== first.duty?.userId) return span.from;
  }
  return undefined;
}

/** The spans, with turns of others in between. */
async function* inTurns(spans: Iterable<DutySpan>): AsyncGenerator<DutySpan> {
  let count = 0;
  for (const span of spans) {
    if (++count % sliceSpans === 0) await yieldToEventLoop();
    yield span;
  }
}

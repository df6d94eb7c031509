import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { isWithin } from './isWithin.ts';
import { beginsOn, type CompiledRange, dayMinutes, dayMs, minuteMs, type TimeSet } from './timeSet.ts';

/** Every date of the calendar falls on every weekday within 40 years. */
const searchDays = 41 * 366;
/** Days between two turns of others. */
const sliceDays = 100;

/** The first instant after `instant` at which the set begins or ends to hold; undefined if it never does. */
export async function nextChange(timeSet: TimeSet, instant: number): Promise<number | undefined> {
  if (timeSet.ranges.some(isAlways)) return undefined;
  const nextWithin = createChanges(timeSet);
  const end = Math.min(endOf(timeSet.ranges), instant + searchDays * dayMs);
  for (let start = instant; start < end; ) {
    const change = nextWithin(start, sliceDays);
    if (change !== undefined) return change;
    await yieldToEventLoop();
    // The set may change just at the beginning of the next day.
    start = (Math.floor(start / dayMs) + sliceDays) * dayMs - 1;
  }
  return undefined;
}

/**
 * Finds the first instant after another, within some days of UTC, at which the set begins or ends to hold. Asked for ascending
 * instants, it works on each day once.
 */
export function createChanges(timeSet: TimeSet): (instant: number, days: number) => number | undefined {
  const coverOf = createCover(timeSet.ranges);
  let cached: { start: number; changes: number[] } | undefined;
  const changesOf = (start: number): number[] => {
    if (cached?.start === start) return cached.changes;
    // The clocks of a zone show yesterday, today or tomorrow of UTC.
    const [before, on, after] = [-dayMs, 0, dayMs].map((shift) => coverOf(start + shift));
    const isSteady = on !== undefined && before === on && after === on;
    cached = { start, changes: isSteady ? [] : changesOfDay(timeSet, start) };
    return cached.changes;
  };
  return (instant, days) => {
    const first = Math.floor(instant / dayMs) * dayMs;
    for (let day = 0; day < days; day++) {
      const start = first + day * dayMs;
      if (start > maxMs - 2 * dayMs) return undefined;
      const change = changesOf(start).find((candidate) => candidate > instant);
      if (change !== undefined) return change;
    }
    return undefined;
  };
}

/** The instants of a day in UTC at which the set begins or ends to hold, ascending. */
function changesOfDay(timeSet: TimeSet, start: number): number[] {
  let state = isWithin(timeSet, start - 1);
  return candidatesOf(timeSet, start).filter((candidate) => {
    const former = state;
    state = isWithin(timeSet, candidate);
    return state !== former;
  });
}

function isAlways({ from, to, weekdays, daysOfMonth, months, years }: CompiledRange): boolean {
  return to - from >= dayMinutes && !weekdays && !daysOfMonth && !months && !years;
}

/** An instant after which no range begins or ends any more. */
function endOf(ranges: readonly CompiledRange[]): number {
  const lastYear = Math.max(
    0,
    ...ranges.map(({ years }) => (years ? Math.max(...years) : Number.POSITIVE_INFINITY)),
  );
  return Number.isFinite(lastYear) ? Date.UTC(lastYear + 1, 0, 5) : maxMs;
}

const maxMs = 8.64e15;
const maxCovers = 8;

/** Tells of a local date whether the set holds all day, never, or (undefined) at some times. */
function createCover(ranges: readonly CompiledRange[]): (start: number) => boolean | undefined {
  const covers = createBoundedMap<number, boolean | undefined>(maxCovers);
  return (start) => {
    if (covers.has(start)) return covers.get(start);
    const cover = coverOfDate(ranges, start);
    covers.set(start, cover);
    return cover;
  };
}

function coverOfDate(ranges: readonly CompiledRange[], start: number): boolean | undefined {
  const spans = ranges.flatMap((range): [number, number][] => {
    const today: [number, number][] = beginsOn(range, start)
      ? [[range.from, Math.min(range.to, dayMinutes)]]
      : [];
    const isRest = range.to > dayMinutes && beginsOn(range, start - dayMs);
    return isRest ? [...today, [0, range.to - dayMinutes]] : today;
  });
  if (spans.length === 0) return false;
  let covered = 0;
  for (const [from, to] of spans.sort(([a], [b]) => a - b)) {
    if (from > covered) return undefined;
    covered = Math.max(covered, to);
  }
  return covered === dayMinutes ? true : undefined;
}

/** The instants of a day in UTC at which the set may begin or end, ascending. */
function candidatesOf({ zone, ranges }: TimeSet, start: number): number[] {
  const end = start + dayMs;
  const change = zone.changeBefore(end - 1);
  const parts = change > start && change < end ? [start, change, end] : [start, end];
  const minutes = new Set([0, ...ranges.flatMap(({ from, to }) => [from, to % dayMinutes])]);
  return parts.slice(0, -1).flatMap((from, index) => {
    const to = parts[index + 1] ?? end;
    const offset = zone.offsetAt(from);
    const dates = Math.floor((from + offset) / dayMs);
    const instants = [from];
    for (let date = dates; date * dayMs - offset < to; date++)
      for (const minute of minutes) {
        const candidate = date * dayMs + minute * minuteMs - offset;
        if (candidate > from && candidate < to) instants.push(candidate);
      }
    return instants.sort((a, b) => a - b);
  });
}

import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { isWithin } from './isWithin.ts';
import { beginsOn, type CompiledRange, dayMinutes, dayMs, minuteMs, type TimeSet } from './timeSet.ts';

/** Every date of the calendar falls on every weekday within 40 years. */
const searchDays = 41 * 366;

/** The first instant after `instant` at which the set begins or ends to hold; undefined if neither happens in these days of UTC. */
export function nextChange(timeSet: TimeSet, instant: number, days = searchDays): number | undefined {
  if (timeSet.ranges.some(isAlways)) return undefined;
  const state = isWithin(timeSet, instant);
  const end = endOf(timeSet.ranges);
  const coverOf = createCover(timeSet.ranges);
  const first = Math.floor(instant / dayMs) * dayMs;
  for (let day = 0; day < days; day++) {
    const start = first + day * dayMs;
    if (start + dayMs > end) return undefined;
    // The clocks of a zone show yesterday, today or tomorrow of UTC.
    const isSteady = [-dayMs, 0, dayMs].every((shift) => coverOf(start + shift) === state);
    if (isSteady) continue;
    for (const candidate of candidatesOf(timeSet, start))
      if (candidate > instant && isWithin(timeSet, candidate) !== state) return candidate;
  }
  return undefined;
}

/** The instants of a day of UTC, from its start on, at which the set may begin or end to hold, and whether it holds from then on. */
export function statesOn(timeSet: TimeSet, start: number): { from: number; holds: boolean }[] {
  return candidatesOf(timeSet, start).map((from) => ({ from, holds: isWithin(timeSet, from) }));
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

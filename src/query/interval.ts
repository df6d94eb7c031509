import { invalid } from '../model/errors.ts';
import type { TimeZone } from './timeZone.ts';

/** A calendar unit follows local dates; `fixed` is so many milliseconds, counted from the local epoch. */
export type Interval =
  | { readonly type: 'fixed'; readonly ms: number }
  | { readonly type: 'calendar'; readonly unit: CalendarUnit };

type CalendarUnit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second';

/** `start` is the first millisecond of the bucket of an instant, `next` the start of the following bucket. */
export type Buckets = { readonly start: (ms: number) => number; readonly next: (start: number) => number };

/** `1M`, `month`: one calendar unit; otherwise a multiple of ms, s, m, h or d such as `90m`. */
export function parseInterval(text: string, pointer: string): Interval {
  const unit = calendarNames.get(text);
  if (unit !== undefined) return { type: 'calendar', unit };
  const parts = fixedPattern.exec(text);
  const [, count, fixedUnit = ''] = parts ?? [];
  const ms = Number(count) * (fixedUnits[fixedUnit] ?? 0);
  if (ms >= 1 && ms <= 8.64e15) return { type: 'fixed', ms };
  throw invalid(
    pointer,
    'invalid-interval',
    `'${text.slice(0, 40)}' is no interval: give one of 1y, 1q, 1M, 1w, 1d, 1h, 1m, 1s, ` +
      'or a whole multiple of ms, s, m, h or d such as 90m.',
  );
}

export function createBuckets(interval: Interval, zone: TimeZone): Buckets {
  if (interval.type === 'fixed') return fixedBuckets(interval.ms, 0, zone);
  switch (interval.unit) {
    case 'second':
      return fixedBuckets(second, 0, zone);
    case 'minute':
      return fixedBuckets(minute, 0, zone);
    case 'hour':
      return fixedBuckets(hour, 0, zone);
    case 'day':
      return fixedBuckets(day, 0, zone);
    case 'week':
      // The epoch began on a Thursday; weeks begin on Monday.
      return fixedBuckets(7 * day, 3 * day, zone);
    case 'month':
      return monthBuckets(1, zone);
    case 'quarter':
      return monthBuckets(3, zone);
    case 'year':
      return monthBuckets(12, zone);
  }
}

/** Every bucket from that of `from` to that of `to`, ascending; `pointer` is where the interval was given. */
export function denseBuckets(buckets: Buckets, from: number, to: number, pointer = '/interval'): number[] {
  if (from > to) throw invalid('/from', 'invalid-range', `from (${from}) must not be after to (${to}).`);
  const starts: number[] = [];
  for (let start = buckets.start(from); start <= to; start = buckets.next(start)) {
    if (starts.length === maxBuckets) {
      throw invalid(
        pointer,
        'too-many-buckets',
        `The range has more than ${maxBuckets.toLocaleString('en-US')} intervals; ` +
          'take a longer interval or a shorter range.',
      );
    }
    starts.push(start);
  }
  return starts;
}

const maxBuckets = 11_000;
const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;

const fixedPattern = /^(\d{1,16})(ms|s|m|h|d)$/;
const fixedUnits: Readonly<Record<string, number>> = { ms: 1, s: second, m: minute, h: hour, d: day };

const calendarNames: ReadonlyMap<string, CalendarUnit> = new Map([
  ['1y', 'year'],
  ['year', 'year'],
  ['1q', 'quarter'],
  ['quarter', 'quarter'],
  ['1M', 'month'],
  ['month', 'month'],
  ['1w', 'week'],
  ['week', 'week'],
  ['1d', 'day'],
  ['day', 'day'],
  ['1h', 'hour'],
  ['hour', 'hour'],
  ['1m', 'minute'],
  ['minute', 'minute'],
  ['1s', 'second'],
  ['second', 'second'],
]);

function fixedBuckets(size: number, shift: number, zone: TimeZone): Buckets {
  const localStart = (local: number): number => Math.floor((local + shift) / size) * size - shift;
  const start = startInZone(localStart, zone, size % day === 0);
  if (zone.isFixed) return { start, next: (from) => from + size };
  return { start, next: (from) => nextInZone(start, from, size) };
}

function monthBuckets(months: number, zone: TimeZone): Buckets {
  const localStart = (local: number): number => {
    const date = new Date(local);
    const month = date.getUTCMonth();
    date.setUTCHours(0, 0, 0, 0);
    date.setUTCMonth(month - (month % months), 1);
    return date.getTime();
  };
  const start = startInZone(localStart, zone, true);
  // Long enough to leave the bucket, too short to leave the one after it.
  return { start, next: (from) => start(from + (months * 31 + 2) * day) };
}

/**
 * Converts the local start of a bucket to UTC. A local time that a clock change skips becomes the change itself; a time
 * that comes twice keeps its bucket open until its second end.
 */
function startInZone(
  localStart: (local: number) => number,
  zone: TimeZone,
  isDays: boolean,
): (ms: number) => number {
  const start = (ms: number): number => {
    const offset = zone.offsetAt(ms);
    const local = localStart(ms + offset);
    const instant = local - offset;
    if (zone.isFixed) return instant;
    const offsetThen = zone.offsetAt(instant);
    if (offsetThen === offset) return isDays ? firstTime(zone, local, instant) : instant;
    const corrected = local - offsetThen;
    if (zone.offsetAt(corrected) !== offsetThen) return zone.changeBefore(corrected);
    const change = zone.changeBefore(ms);
    return isChange(zone, change) ? Math.max(corrected, start(change - 1)) : corrected;
  };
  return start;
}

/** The earlier of two instants with the same local time, where the clock went back over it. */
function firstTime(zone: TimeZone, local: number, instant: number): number {
  const change = zone.changeBefore(instant);
  const earlier = local - zone.offsetAt(change - 1);
  return isChange(zone, change) && earlier < change ? earlier : instant;
}

function isChange(zone: TimeZone, ms: number): boolean {
  return zone.offsetAt(ms - 1) !== zone.offsetAt(ms);
}

/** A change of offset makes one bucket longer or shorter; then the end is searched, for starts never go back. */
function nextInZone(start: (ms: number) => number, from: number, size: number): number {
  const usual = from + size;
  if (start(usual) === usual && start(usual - 1) === from) return usual;
  let inside = from;
  let beyond = usual + 2 * day;
  while (beyond - inside > 1) {
    const middle = Math.floor((inside + beyond) / 2);
    if (start(middle) === from) inside = middle;
    else beyond = middle;
  }
  return beyond;
}

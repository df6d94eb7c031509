import { createBoundedMap } from '../lib/createBoundedMap.ts';
import { invalid } from '../model/errors.ts';

export type TimeZone = {
  /** Milliseconds that local time is ahead of UTC at an instant. */
  readonly offsetAt: (ms: number) => number;
  readonly isFixed: boolean;
  /** The instant of the latest change of offset at or before `ms`, if there was one within two days, or else `ms`. */
  readonly changeBefore: (ms: number) => number;
};

/** `UTC`, `Z`, an offset such as `+05:45`, or a name of the IANA database. */
export function parseTimeZone(text: string, pointer: string): TimeZone {
  if (text === 'UTC' || text === 'Z') return fixedZone(0);
  const parts = offsetPattern.exec(text);
  if (parts !== null) {
    const minutes = Number(parts[2]) * 60 + Number(parts[3]);
    if (minutes <= 18 * 60 && Number(parts[3]) < 60) {
      return fixedZone((parts[1] === '-' ? -minutes : minutes) * 60_000);
    }
  } else if (namePattern.test(text)) {
    const zone = namedZones.get(text) ?? namedZone(text);
    if (zone !== undefined) {
      namedZones.set(text, zone);
      return zone;
    }
  }
  throw invalid(
    pointer,
    'invalid-time-zone',
    `'${text.slice(0, 40)}' is no time zone: give UTC, an offset up to 18:00 such as +05:45, ` +
      'or an IANA name such as Europe/Paris.',
  );
}

const offsetPattern = /^([+-])(\d\d):(\d\d)$/;
const namePattern = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const maxNamedZones = 600;
const namedZones = createBoundedMap<string, TimeZone>(maxNamedZones);
const maxDays = 20_000;
const day = 86_400_000;

function fixedZone(offset: number): TimeZone {
  return { offsetAt: () => offset, isFixed: true, changeBefore: (ms) => ms };
}

/** One UTC day: the offset at its start, and the instant from which another holds, if one does. */
type ZoneDay = { offset: number; change: number; offsetAfter: number };

/** Asking `Intl` takes microseconds, so that what it says is kept per day; no zone changes twice within one. */
function namedZone(name: string): TimeZone | undefined {
  const format = zoneFormat(name);
  if (format === undefined) return undefined;
  const days = createBoundedMap<number, ZoneDay>(maxDays);

  const zoneDay = (number: number): ZoneDay => {
    const cached = days.get(number);
    if (cached !== undefined) return cached;
    const offset = lookUpDay(format, number * day);
    days.set(number, offset);
    return offset;
  };
  const offsetAt = (ms: number): number => {
    const { offset, change, offsetAfter } = zoneDay(Math.floor(ms / day));
    return ms < change ? offset : offsetAfter;
  };
  const changeBefore = (ms: number): number => {
    const today = Math.floor(ms / day);
    for (const number of [today, today - 1, today - 2]) {
      const { change } = zoneDay(number);
      if (change <= ms) return change;
    }
    return ms;
  };
  return { offsetAt, isFixed: false, changeBefore };
}

function zoneFormat(name: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function lookUpDay(format: Intl.DateTimeFormat, start: number): ZoneDay {
  const offset = lookUpOffset(format, start);
  const offsetAfter = lookUpOffset(format, start + day);
  if (offset === offsetAfter) return { offset, change: Number.POSITIVE_INFINITY, offsetAfter };
  let before = start;
  let change = start + day;
  while (change - before > 1) {
    const middle = Math.floor((before + change) / 2);
    if (lookUpOffset(format, middle) === offset) before = middle;
    else change = middle;
  }
  return { offset, change, offsetAfter };
}

function lookUpOffset(format: Intl.DateTimeFormat, ms: number): number {
  const clamped = Math.min(Math.max(ms, -8.64e15), 8.64e15);
  const parts = longOffset.exec(format.format(clamped));
  if (parts === null) return 0;
  const [, sign, hours, minutes, seconds = '0'] = parts;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

/** The end of a date written by `Intl`; exactly UTC is plain `GMT`. */
const longOffset = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/;

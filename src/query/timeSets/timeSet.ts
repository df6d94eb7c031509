import { parseTimeZone, type TimeZone } from '../timeZone.ts';

export const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
type Weekday = (typeof weekdays)[number];

/**
 * Times of a day on certain days; a member that is left out limits nothing. `from` and `to` are `HH:MM`, `to` up to 24:00. A
 * range whose `to` is not after its `from` ends on the next day, and its days are those on which it begins.
 */
export type TimeRange = {
  from?: string | null;
  to?: string | null;
  weekdays?: readonly Weekday[];
  /** From 1, or from the end of the month: -1 is its last day. */
  daysOfMonth?: readonly number[];
  months?: readonly number[];
  years?: readonly number[];
};

export type TimeSetInput = { zone: string; ranges: readonly TimeRange[] };

/** A time set ready to be asked: minutes of the day, and sets of days. */
export type TimeSet = { readonly zone: TimeZone; readonly ranges: readonly CompiledRange[] };

export type CompiledRange = {
  readonly from: number;
  /** Beyond 1440 where the range ends on the next day. */
  readonly to: number;
  readonly weekdays: ReadonlySet<number> | undefined;
  readonly daysOfMonth: ReadonlySet<number> | undefined;
  readonly months: ReadonlySet<number> | undefined;
  readonly years: ReadonlySet<number> | undefined;
};

export const minuteMs = 60_000;
export const dayMs = 86_400_000;
export const dayMinutes = 1440;

/** Throws the problem `invalid-time-zone` for an unknown zone. */
export function compileTimeSet({ zone, ranges }: TimeSetInput): TimeSet {
  return { zone: parseTimeZone(zone, '/zone'), ranges: ranges.map(compileRange) };
}

function compileRange({ from, to, ...days }: TimeRange): CompiledRange {
  const start = toMinute(from ?? '00:00');
  const end = toMinute(to ?? '24:00');
  return {
    from: start,
    to: end > start ? end : end + dayMinutes,
    // As `Date` counts them: Sunday is 0.
    weekdays: setOf(days.weekdays?.map((day) => (weekdays.indexOf(day) + 1) % 7)),
    daysOfMonth: setOf(days.daysOfMonth),
    months: setOf(days.months),
    years: setOf(days.years),
  };
}

/** Minutes of a day; NaN for a text that is no time. */
function toMinute(text: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-4]):([0-5]\d)$/.exec(text) ?? [];
  const minute = Number(hours) * 60 + Number(minutes);
  return minute <= dayMinutes ? minute : Number.NaN;
}

/** An empty list limits nothing, as one that is left out. */
function setOf(values: readonly number[] | undefined): ReadonlySet<number> | undefined {
  return values && values.length > 0 ? new Set(values) : undefined;
}

/** True if the range begins on the local date that starts at `start`, in milliseconds of local time. */
export function beginsOn(range: CompiledRange, start: number): boolean {
  const date = new Date(start);
  if (range.years && !range.years.has(date.getUTCFullYear())) return false;
  if (range.months && !range.months.has(date.getUTCMonth() + 1)) return false;
  if (range.weekdays && !range.weekdays.has(date.getUTCDay())) return false;
  if (!range.daysOfMonth) return true;
  const day = date.getUTCDate();
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return range.daysOfMonth.has(day) || range.daysOfMonth.has(day - length - 1);
}

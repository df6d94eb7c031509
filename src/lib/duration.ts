/** Milliseconds of `10 min`, `1 day`, `30 seconds`, `7d`, `500ms`, or of a plain number of milliseconds. */
export function parseDuration(text: string | number): number {
  const parts = durationPattern.exec(String(text).trim());
  const unit = parts === null ? undefined : units.get((parts[2] ?? 'ms').toLowerCase());
  const ms = parts === null || unit === undefined ? Number.NaN : Number(parts[1]) * unit;
  // Rounding mends what floating point does to `0.07 s`; anything further off is a part of a millisecond.
  const whole = Math.round(ms);
  if (whole <= maxMs && Math.abs(ms - whole) < 1e-6) return whole;
  throw new RangeError(
    `'${String(text).slice(0, 40)}' is not a duration: write a number and a unit such as 500 ms, 30 seconds, 10 min, 1h or 7d, or whole milliseconds, up to ${maxDays.toLocaleString('en-US')} days.`,
  );
}

/** For people, in its two largest units: `2 days 3 hours`. */
export function showDuration(ms: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, ms);
  for (const [name, size] of shownUnits) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count.toLocaleString('en-US')} ${name}${count === 1 ? '' : 's'}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 seconds';
}

export function isDuration(text: string | number): boolean {
  try {
    parseDuration(text);
    return true;
  } catch {
    return false;
  }
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const maxDays = 36_500;
const maxMs = maxDays * day;

const shownUnits = [
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', second],
] as const;

const durationPattern = /^(\d{1,16}(?:\.\d{1,6})?) {0,3}([a-z]{1,12})?$/i;
const units: ReadonlyMap<string, number> = new Map([
  ...named(1, ['ms', 'millisecond', 'milliseconds']),
  ...named(second, ['s', 'sec', 'secs', 'second', 'seconds']),
  ...named(minute, ['m', 'min', 'mins', 'minute', 'minutes']),
  ...named(hour, ['h', 'hr', 'hrs', 'hour', 'hours']),
  ...named(day, ['d', 'day', 'days']),
  ...named(7 * day, ['w', 'week', 'weeks']),
]);

function named(ms: number, names: readonly string[]): [string, number][] {
  return names.map((name) => [name, ms]);
}

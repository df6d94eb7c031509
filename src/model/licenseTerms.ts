import { nextRun, parseSchedule, type Schedule } from '../lib/schedule.ts';

/** The params of a license: the bounds of a score, where it starts, and how often the clock runs the scripts. */
export type LicenseTerms = {
  min: number;
  max: number;
  start: number;
  tick: Schedule | undefined;
  /** Everything in the params, as the scripts see it. */
  values: Readonly<Record<string, unknown>>;
};

/** Reads the JSON text of a license's params; a RangeError says what is wrong with it. */
export function readLicenseTerms(params: string | null | undefined): LicenseTerms {
  const values = params == null ? {} : parseObject(params);
  const min = numberAt(values, 'min') ?? numberAt(values, 'minScore') ?? 0;
  const max = numberAt(values, 'max') ?? numberAt(values, 'maxScore') ?? Math.max(100, min);
  if (min >= max) throw new RangeError(`min is ${min} and max is ${max}; min must be the smaller one.`);
  const start = numberAt(values, 'start') ?? max;
  if (start < min || start > max) throw new RangeError(`start is ${start}, which lies outside min and max.`);
  return { min, max, start, tick: readTick(values.tick), values };
}

/** Larger scores could not be kept to the millionth. */
const maxScore = 1e9;
const minTickMs = 60_000;

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RangeError('must be JSON written as text, such as "{\\"min\\":0,\\"max\\":100}".');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value));
  throw new RangeError('must be a JSON object, such as "{\\"min\\":0,\\"max\\":100}".');
}

function numberAt(values: Record<string, unknown>, name: string): number | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Math.abs(value) <= maxScore) return value;
  throw new RangeError(`${name} must be a number between -${maxScore} and ${maxScore}.`);
}

function readTick(value: unknown): Schedule | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new RangeError('tick must be a schedule such as "1 day" or "0 6 * * MON".');
  const schedule = parseSchedule(value);
  const first = nextRun(schedule, 0);
  if (nextRun(schedule, first) - first < minTickMs)
    throw new RangeError('tick comes too often: once a minute is the most.');
  return schedule;
}

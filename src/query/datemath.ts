import { invalid } from '../model/errors.ts';

/**
 * Epoch milliseconds of an ISO date, epoch milliseconds, or date math on `now` or `<date>||`. `roundUp`: the last
 * millisecond of the named span instead of the first. Undefined if it is no date.
 */
export function parseDate(expression: string, now: number, roundUp: boolean): number | undefined {
  if (expression.startsWith('now')) return applyMath(expression.slice(3), now, roundUp, queryStep);
  const anchorEnd = expression.indexOf('||');
  if (anchorEnd === -1) return parseInstant(expression, roundUp);
  const anchor = parseInstant(expression.slice(0, anchorEnd), false);
  return anchor === undefined
    ? undefined
    : applyMath(expression.slice(anchorEnd + 2), anchor, roundUp, queryStep);
}

/**
 * Start or end of a telemetry range: epoch milliseconds, or an offset from now such as `-1d` or `now-1d/d`.
 * `isTimestamp` distinguishes the two, because only timestamps extend the bounds of the reply.
 */
export function parseRangeEnd(
  expression: string,
  now: number,
  end: 'start' | 'end',
): { ms: number; isTimestamp: boolean } {
  if (timestampPattern.test(expression)) {
    const ms = toTime(Number(expression));
    if (ms !== undefined) return { ms, isTimestamp: true };
  } else if (expression !== '') {
    const math = expression.startsWith('now') ? expression.slice(3) : expression;
    const ms = applyMath(math, now, end === 'end', telemetryStep);
    if (ms !== undefined) return { ms, isTimestamp: false };
  }
  throw invalid(
    `/${end}`,
    'invalid-date',
    `'${expression.slice(0, 40)}' is no ${end} of a range: ` +
      'give epoch milliseconds or an offset such as -1d, now-1d/d or now.',
  );
}

const timestampPattern = /^-?\d+$/;
const datePattern =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T(?:(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?)?$/;
const queryStep = /([+-])(\d{0,9})([yMwdhHms])|(\/)([yMwdhHms])/y;
/** As above, but the number is never left out, and rounding comes once and last. */
const telemetryStep = /([+-])(\d{1,9})([yMwdhms])|(\/)([yMwdhms])$/y;

function parseInstant(text: string, roundUp: boolean): number | undefined {
  const parts = datePattern.exec(text);
  if (parts === null) return timestampPattern.test(text) ? toTime(Number(text)) : undefined;
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour,
    minute,
    second,
    fraction,
    sign,
    zoneHour,
    zoneMinute = '00',
  ] = parts;
  const ms = Date.parse(
    `${year}-${month}-${day}T${hour ?? (roundUp ? '23' : '00')}:${minute ?? (roundUp ? '59' : '00')}:` +
      `${second ?? (roundUp ? '59' : '00')}.${fraction?.padEnd(3, '0').slice(0, 3) ?? (roundUp ? '999' : '000')}Z`,
  );
  // `Date.parse` takes 30 February for 1 March and 24:00 for the next day.
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day)) return undefined;
  if (sign === undefined) return ms;
  if (Number(zoneHour) > 18 || Number(zoneMinute) > 59) return undefined;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000;
  return sign === '+' ? ms - offset : ms + offset;
}

function applyMath(math: string, anchor: number, roundUp: boolean, step: RegExp): number | undefined {
  let ms: number | undefined = anchor;
  let index = 0;
  while (index < math.length && ms !== undefined) {
    step.lastIndex = index;
    const match = step.exec(math);
    if (match === null) return undefined;
    const [whole, sign, amount, unit = '', slash, roundUnit = ''] = match;
    index += whole.length;
    if (slash === undefined) {
      const count = amount === '' ? 1 : Number(amount);
      ms = add(ms, sign === '-' ? -count : count, unit);
    } else {
      ms = round(ms, roundUnit, roundUp);
    }
  }
  return ms;
}

function add(ms: number, count: number, unit: string): number | undefined {
  const fixed = fixedUnits[unit];
  if (fixed !== undefined) return toTime(ms + count * fixed);
  return addMonths(ms, unit === 'y' ? count * 12 : count);
}

const fixedUnits: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  H: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The same day of another month, or its last day where that month is shorter. */
function addMonths(ms: number, months: number): number | undefined {
  const date = new Date(ms);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return toTime(date.getTime());
}

function round(ms: number, unit: string, up: boolean): number | undefined {
  const start = toTime(startOf(ms, unit));
  if (start === undefined || !up) return start;
  const next = add(start, 1, unit);
  return next === undefined ? undefined : next - 1;
}

function startOf(ms: number, unit: string): number {
  const fixed = fixedUnits[unit];
  if (fixed !== undefined) {
    // The epoch began on a Thursday; weeks begin on Monday.
    const shift = unit === 'w' ? 3 * 86_400_000 : 0;
    return Math.floor((ms + shift) / fixed) * fixed - shift;
  }
  const date = new Date(ms);
  date.setUTCHours(0, 0, 0, 0);
  if (unit === 'y') date.setUTCMonth(0, 1);
  else date.setUTCDate(1);
  return date.getTime();
}

/** Undefined beyond what a date can hold. */
function toTime(ms: number): number | undefined {
  return Math.abs(ms) <= 8.64e15 ? ms + 0 : undefined;
}

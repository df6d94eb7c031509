/** The values at which each field matches. */
export type Cron = {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** As cron always had it: with both kinds of day limited, either is enough. */
  readonly isEitherDay: boolean;
};

/** Minute, hour, day of month, month, day of week, in UTC; a date that never comes is refused. */
export function parseCron(fields: readonly string[]): Cron {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const cron: Cron = {
    minutes: sorted(readField(minute, { name: 'minute', min: 0, max: 59 })),
    hours: sorted(readField(hour, { name: 'hour', min: 0, max: 23 })),
    days: readField(day, { name: 'day of month', min: 1, max: 31 }),
    months: readField(month, { name: 'month', min: 1, max: 12, names: monthNames }),
    // 7 is Sunday as well.
    weekdays: new Set(
      [...readField(weekday, { name: 'day of week', min: 0, max: 7, names: weekdayNames })].map(
        (value) => value % 7,
      ),
    ),
    isEitherDay: !day.startsWith('*') && !weekday.startsWith('*'),
  };
  if (findDay(cron, 0) === undefined) {
    throw new RangeError(
      `The cron expression '${fields.join(' ')}' never comes round: no such month has that day.`,
    );
  }
  return cron;
}

/** The first minute that matches and begins later than `afterMs`. */
export function nextCronRun(cron: Cron, afterMs: number): number {
  const last = lastFound.get(cron);
  if (last && afterMs >= last.afterMs && afterMs < last.run) return last.run;
  const run = findRun(cron, afterMs);
  lastFound.set(cron, { afterMs, run });
  return run;
}

/** The calendar is searched once for each run: thousands of schedules are asked again with every block and every second. */
const lastFound = new WeakMap<Cron, { readonly afterMs: number; readonly run: number }>();

function findRun(cron: Cron, afterMs: number): number {
  const earliest = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const today = Math.floor(earliest / dayMs) * dayMs;
  const time = findTime(cron, (earliest - today) / minuteMs);
  if (time !== undefined && matchesDay(cron, new Date(today))) return today + time * minuteMs;
  const later = findDay(cron, today + dayMs);
  const first = findTime(cron, 0);
  if (later === undefined || first === undefined) {
    throw new RangeError(`The cron expression has no run after ${afterMs}.`);
  }
  return later + first * minuteMs;
}

type FieldRule = { name: string; min: number; max: number; names?: readonly string[] };

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** 29 February falls on a given weekday at least every 40 years. */
const searchDays = 41 * 366;
const monthNames = ['', 'JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Lists of values, rising ranges and steps: `0,30`, `MON-FRI`, `5/15`. */
function readField(text: string, rule: FieldRule): Set<number> {
  const values = new Set<number>();
  if (text.length > 200) throw wrongField(text, rule);
  for (const item of text.split(',')) {
    const [range = '', step, ...more] = item.split('/');
    const [from = '', to, ...rest] = range.split('-');
    if (more.length > 0 || rest.length > 0) throw wrongField(item, rule);
    const isAll = range === '*';
    const first = isAll ? rule.min : readValue(from, rule);
    const last = isAll || (to === undefined && step !== undefined) ? rule.max : readValue(to ?? from, rule);
    const stride = step === undefined ? 1 : /^\d{1,3}$/.test(step) ? Number(step) : 0;
    if (first > last || stride === 0) throw wrongField(item, rule);
    for (let value = first; value <= last; value += stride) values.add(value);
  }
  return values;
}

function readValue(text: string, rule: FieldRule): number {
  const named = text === '' ? -1 : (rule.names?.indexOf(text.toUpperCase()) ?? -1);
  const value = named >= 0 ? named : /^\d{1,2}$/.test(text) ? Number(text) : -1;
  if (value < rule.min || value > rule.max) throw wrongField(text, rule);
  return value;
}

function wrongField(text: string, { name, min, max, names }: FieldRule): RangeError {
  const words = names ? ` or ${names.find((word) => word !== '')} to ${names.at(-1)}` : '';
  return new RangeError(
    `'${text.slice(0, 40)}' cannot be the ${name} of a cron expression: write * or values from ${min} to ${max}${words}, as lists (a,b), rising ranges (a-b) and steps (a-b/n).`,
  );
}

function sorted(values: ReadonlySet<number>): number[] {
  return [...values].sort((left, right) => left - right);
}

/** The first matching minute of a day from `fromMinute` on. */
function findTime({ hours, minutes }: Cron, fromMinute: number): number | undefined {
  for (const hour of hours) {
    const minute = minutes.find((candidate) => hour * 60 + candidate >= fromMinute);
    if (minute !== undefined) return hour * 60 + minute;
  }
  return undefined;
}

/** The start of the first matching day from the one that starts at `fromMs`. */
function findDay(cron: Cron, fromMs: number): number | undefined {
  for (let offset = 0; offset < searchDays; offset++) {
    const start = fromMs + offset * dayMs;
    if (matchesDay(cron, new Date(start))) return start;
  }
  return undefined;
}

function matchesDay(cron: Cron, date: Date): boolean {
  if (!cron.months.has(date.getUTCMonth() + 1)) return false;
  const isDay = cron.days.has(date.getUTCDate());
  const isWeekday = cron.weekdays.has(date.getUTCDay());
  return cron.isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

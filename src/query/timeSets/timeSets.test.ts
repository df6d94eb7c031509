import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../testing/createRandom.ts';
import { sized } from '../../../testing/proveSize.ts';
import { isWithin } from './isWithin.ts';
import { nextChange } from './nextChange.ts';
import { compileTimeSet, type TimeRange, type TimeSetInput, weekdays } from './timeSet.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

it('answers by the clocks of the zone, also across midnight and from the end of a month', async () => {
  const nights = compileTimeSet({
    zone: 'Europe/Berlin',
    ranges: [{ from: '22:00', to: '06:00', weekdays: ['FRI'] }],
  });
  const within = (text: string) => isWithin(nights, Date.parse(text));
  // A Friday in summer: 22:00 in Berlin is 20:00 in UTC.
  expect(within('2026-07-03T19:59:59Z')).toBe(false);
  expect(within('2026-07-03T20:00:00Z')).toBe(true);
  expect(within('2026-07-04T03:59:59Z')).toBe(true);
  expect(within('2026-07-04T04:00:00Z')).toBe(false);
  expect(await nextChange(nights, Date.parse('2026-07-01T00:00:00Z'))).toBe(
    Date.parse('2026-07-03T20:00:00Z'),
  );
  const lastDays = compileTimeSet({ zone: 'UTC', ranges: [{ daysOfMonth: [-1], months: [2] }] });
  expect(isWithin(lastDays, Date.parse('2028-02-29T12:00:00Z'))).toBe(true);
  expect(isWithin(lastDays, Date.parse('2028-02-28T12:00:00Z'))).toBe(false);
  expect(await nextChange(lastDays, Date.parse('2026-03-01T00:00:00Z'))).toBe(
    Date.parse('2027-02-28T00:00:00Z'),
  );
});

it('skips the hour that clocks skip, and counts the hour that they show twice both times', () => {
  const early = compileTimeSet({ zone: 'Europe/Berlin', ranges: [{ from: '02:00', to: '03:00' }] });
  const minutesOn = (text: string) => {
    const start = Date.parse(text);
    return Array.from({ length: 1440 }, (_, minute) => isWithin(early, start + minute * minuteMs)).filter(
      Boolean,
    ).length;
  };
  expect(minutesOn('2026-03-29T00:00:00Z')).toBe(0);
  expect(minutesOn('2026-10-25T00:00:00Z')).toBe(120);
  expect(minutesOn('2026-07-25T00:00:00Z')).toBe(60);
});

it('finds no further change where none comes', async () => {
  const always = compileTimeSet({ zone: 'America/New_York', ranges: [{}] });
  expect(await nextChange(always, Date.parse('2026-01-01T00:00:00Z'))).toBeUndefined();
  const past = compileTimeSet({ zone: 'UTC', ranges: [{ years: [2020] }] });
  expect(await nextChange(past, Date.parse('2026-01-01T00:00:00Z'))).toBeUndefined();
  const never = compileTimeSet({ zone: 'UTC', ranges: [] });
  expect(isWithin(never, 0)).toBe(false);
});

it('agrees with a slow reference by the minute in every zone around both switches of its clocks', async () => {
  const random = createRandom('time sets');
  const zones = [...Intl.supportedValuesOf('timeZone')];
  const wanted = sized(2_500, 10_000);
  const share = sized(6, 1);
  const first = random.below(share);
  const chosen = zones.filter((_, index) => index % share === first);
  const perTable = Math.ceil(wanted / (chosen.length * 2));
  const year = 2026;
  let count = 0;
  for (const zone of chosen) {
    for (const table of tablesOf(zone, year)) {
      for (let repeat = 0; repeat < perTable; repeat++, count++) {
        const input = randomTimeSet(random, zone, year);
        const timeSet = compileTimeSet(input);
        const expected = table.map((reading) => isWithinSlowly(input, reading));
        const changes: number[] = [];
        for (const [index, { ms }] of table.entries()) {
          // Changes are compared at every minute, and the answer itself at one minute of eight.
          if (random.below(8) === 0 && isWithin(timeSet, ms + random.below(minuteMs)) !== expected[index])
            expect.fail(
              `${JSON.stringify(input)} at ${new Date(ms).toISOString()} should be ${expected[index]}`,
            );
          if (index > 0 && expected[index] !== expected[index - 1]) changes.push(ms);
        }
        const start = table[0]!.ms;
        const end = table.at(-1)!.ms;
        const found: number[] = [];
        for (let next = await nextChange(timeSet, start); next !== undefined && next <= end; )
          next = await nextChange(timeSet, found[found.push(next) - 1]!);
        expect(found, JSON.stringify(input)).toEqual(changes);
      }
    }
  }
  expect(count).toBeGreaterThanOrEqual(wanted);
});

type LocalDate = { year: number; month: number; day: number; weekday: string; last: number };
type Reading = { ms: number; time: string; today: LocalDate; yesterday: LocalDate };

/** The minutes around both switches of a zone; around two days of the year where it has none. */
function tablesOf(zone: string, year: number): Reading[][] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const dates = new Map<string, Omit<Reading, 'ms' | 'time'>>();
  const read = (ms: number): Reading => {
    const text = format.format(ms);
    const [, date = '', time = ''] = /^(.*), (\d\d:\d\d)$/.exec(text) ?? [];
    const days = dates.get(date) ?? readDays(date);
    dates.set(date, days);
    return { ms, time, ...days };
  };
  const start = Date.UTC(year, 0, 1);
  /** Minutes that the clocks are ahead of UTC, modulo a day. */
  const ahead = (ms: number) => {
    const [hours, minutes] = read(ms).time.split(':').map(Number);
    return (hours! * 60 + minutes! - ms / minuteMs + 14_400_000_000) % 1440;
  };
  const switches: number[] = [];
  for (let day = 0; day < 365; day++)
    if (ahead(start + day * dayMs) !== ahead(start + (day + 1) * dayMs)) switches.push(start + day * dayMs);
  const [one = start + 58 * dayMs, other = start + 300 * dayMs] = switches;
  return [one, other].map((switched) =>
    Array.from({ length: 1440 }, (_, minute) => read(switched + (minute - 360) * minuteMs)),
  );
}

/** From `Sun, 03/29/2026`. */
function readDays(text: string): Omit<Reading, 'ms' | 'time'> {
  const [, weekday = '', month, day, year] = /^(\w+), (\d+)\/(\d+)\/(\d+)$/.exec(text) ?? [];
  const lastOf = (one: number, other: number) => new Date(Date.UTC(one, other, 0)).getUTCDate();
  const before = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) - 1));
  return {
    today: {
      year: Number(year),
      month: Number(month),
      day: Number(day),
      weekday: weekday.toUpperCase(),
      last: lastOf(Number(year), Number(month)),
    },
    yesterday: {
      year: before.getUTCFullYear(),
      month: before.getUTCMonth() + 1,
      day: before.getUTCDate(),
      weekday: weekdays[(before.getUTCDay() + 6) % 7]!,
      last: lastOf(before.getUTCFullYear(), before.getUTCMonth() + 1),
    },
  };
}

/** Written apart from the code: asks of every range on which date it began. */
function isWithinSlowly({ ranges }: TimeSetInput, { time, today, yesterday }: Reading): boolean {
  const fits = (range: TimeRange, date: LocalDate) =>
    (!range.weekdays?.length || range.weekdays.some((one) => one === date.weekday)) &&
    (!range.months?.length || range.months.includes(date.month)) &&
    (!range.years?.length || range.years.includes(date.year)) &&
    (!range.daysOfMonth?.length ||
      range.daysOfMonth.some((one) => (one > 0 ? one : date.last + 1 + one) === date.day));
  return ranges.some((range) => {
    const from = range.from ?? '00:00';
    const to = range.to ?? '24:00';
    if (from < to) return time >= from && time < to && fits(range, today);
    return (time >= from && fits(range, today)) || (time < to && fits(range, yesterday));
  });
}

function randomTimeSet(random: Random, zone: string, year: number): TimeSetInput {
  const time = () => {
    const hour = String(random.below(24)).padStart(2, '0');
    return `${hour}:${random.pick(['00', '00', '15', '30', '59'])}`;
  };
  const some = <T>(items: readonly T[]) => items.filter(() => random.chance(0.4));
  const days = Array.from({ length: 31 }, (_, index) => index + 1);
  const range = (): TimeRange => {
    const from = random.chance(0.7) ? time() : undefined;
    const to = random.chance(0.7) ? random.pick([time(), time(), '24:00']) : undefined;
    return {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(random.chance(0.4) ? { weekdays: some(weekdays) } : {}),
      ...(random.chance(0.3) ? { daysOfMonth: some([...days, ...days.map((day) => -day)]) } : {}),
      ...(random.chance(0.2) ? { months: some(days.slice(0, 12)) } : {}),
      ...(random.chance(0.1) ? { years: [year, year + 1] } : {}),
    };
  };
  return { zone, ranges: Array.from({ length: random.integer(1, 4) }, range) };
}

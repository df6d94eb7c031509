import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../testing/createRandom.ts';
import { sized } from '../../../testing/proveSize.ts';
import { weekdays } from '../timeSets/timeSet.ts';
import { onCallAt } from './onCallAt.ts';
import { compileSchedule, type LayerInput, type ScheduleInput } from './schedule.ts';
import { dutyEnd, shiftsBetween } from './shiftsBetween.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const everyone = () => true;
const at = (text: string) => Date.parse(text);

const weekly: LayerInput = {
  userIds: [1, 2, 3],
  unit: 'WEEKS',
  every: 1,
  start: at('2026-03-16T08:00:00Z'),
};

it('hands over by the clocks of the zone, also across a switch of daylight saving', async () => {
  const schedule = compileSchedule({ zone: 'Europe/Berlin', layers: [weekly], overrides: [] });
  // 09:00 in Berlin is 08:00 in UTC before the switch of 29 March, and 07:00 after it.
  expect(await shiftsBetween(schedule, weekly.start, at('2026-04-10T00:00:00Z'), everyone)).toMatchObject({
    shifts: [
      { userId: 1, layer: 0, from: weekly.start, to: at('2026-03-23T08:00:00Z') },
      { userId: 2, layer: 0, from: at('2026-03-23T08:00:00Z'), to: at('2026-03-30T07:00:00Z') },
      { userId: 3, layer: 0, from: at('2026-03-30T07:00:00Z'), to: at('2026-04-06T07:00:00Z') },
      { userId: 1, layer: 0, from: at('2026-04-06T07:00:00Z'), to: at('2026-04-10T00:00:00Z') },
    ],
    gaps: [],
  });
});

it('hands over once where the clocks show the time of the handover twice or skip it', async () => {
  const daily = { userIds: [1, 2], unit: 'DAYS', every: 1, handover: '02:30' } as const;
  const of = async (start: string, from: string, to: string) => {
    const layers = [{ ...daily, start: at(start) }];
    const schedule = compileSchedule({ zone: 'Europe/Berlin', layers, overrides: [] });
    const { shifts } = await shiftsBetween(schedule, at(from), at(to), everyone);
    return shifts.map(({ from }) => new Date(from).toISOString());
  };
  expect(await of('2026-10-23T12:00:00Z', '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z')).toEqual([
    '2026-10-24T12:00:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
  expect(await of('2026-03-27T12:00:00Z', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([
    '2026-03-28T12:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

it('takes an override before all layers, the first layer that has someone, and shows the rest as gaps', async () => {
  const start = at('2026-06-01T00:00:00Z');
  const schedule = compileSchedule({
    zone: 'UTC',
    layers: [
      { ...weekly, start, userIds: [1], restrictions: [{ from: '08:00', to: '18:00' }] },
      { ...weekly, start, userIds: [2], restrictions: [{ from: '16:00', to: '22:00' }] },
    ],
    overrides: [{ userId: 9, from: at('2026-06-01T17:00:00Z'), to: at('2026-06-01T19:00:00Z') }],
  });
  const { shifts, gaps } = await shiftsBetween(schedule, start, start + dayMs, everyone);
  expect(shifts.map(({ userId, layer, from }) => [userId, layer, new Date(from).getUTCHours()])).toEqual([
    [1, 0, 8],
    [9, null, 17],
    [2, 1, 19],
  ]);
  expect(gaps).toEqual([
    { from: start, to: at('2026-06-01T08:00:00Z') },
    { from: at('2026-06-01T22:00:00Z'), to: start + dayMs },
  ]);
});

it('passes the turn of an absent user to the next layer, and to no one after the last', async () => {
  const start = at('2026-06-01T00:00:00Z');
  const schedule = compileSchedule({
    zone: 'UTC',
    layers: [
      { ...weekly, start, unit: 'DAYS', userIds: [1, 2] },
      { ...weekly, start, userIds: [3] },
    ],
    overrides: [],
  });
  const without =
    (...absent: number[]) =>
    (userId: number) =>
      !absent.includes(userId);
  expect(onCallAt(schedule, start + dayMs, without(2))).toEqual({ userId: 3, layer: 1 });
  expect(onCallAt(schedule, start + dayMs, without(2, 3))).toBeUndefined();
  expect(await dutyEnd(schedule, start, without(3), 30 * dayMs)).toBe(start + dayMs);
  expect(await dutyEnd(schedule, start, without(2), 30 * dayMs)).toBe(start + dayMs);
  expect(await dutyEnd(schedule, start, without(1, 2), 30 * dayMs)).toBeUndefined();
});

it('answers soon where restrictions never change and every layer hands over each hour', async () => {
  const every = weekdays.map((day) => ({ weekdays: [day] }));
  const layer = (index: number): LayerInput => ({
    userIds: [index + 1, index + 2],
    unit: 'HOURS',
    every: 1,
    start: index * 6 * minuteMs,
    restrictions: every,
  });
  const layers = Array.from({ length: 10 }, (_, index) => layer(index));
  const schedule = compileSchedule({ zone: 'Europe/Berlin', layers, overrides: [] });
  const startedAt = performance.now();
  const { shifts, gaps } = await shiftsBetween(schedule, weekly.start, weekly.start + 92 * dayMs, everyone);
  expect([shifts.length, gaps]).toEqual([92 * 24, []]);
  // Some 20 ms on an idle machine; without a bound it took minutes.
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

it('agrees with a slow reference by the minute in every zone around both switches of its clocks', {
  timeout: sized(240_000, 3_600_000),
}, async () => {
  const random = createRandom('schedules');
  const zones = [...Intl.supportedValuesOf('timeZone')];
  const wanted = sized(150, 10_000);
  const share = sized(40, 1);
  const first = random.below(share);
  const chosen = zones.filter((_, index) => index % share === first);
  const perWindow = Math.ceil(wanted / (chosen.length * 2));
  let count = 0;
  for (const zone of chosen)
    for (const readings of windowsOf(zone, 2026))
      for (let repeat = 0; repeat < perWindow; repeat++, count++) {
        const input = randomSchedule(random, zone, readings[0]!.ms);
        const absent = random.chance(0.2) ? random.integer(1, 5) : 0;
        const isPresent = (userId: number) => userId !== absent;
        const expected = walkSlowly(input, readings, isPresent);
        const schedule = compileSchedule(input);
        const start = readings[0]!.ms;
        const end = start + readings.length * minuteMs;
        const { shifts, gaps } = await shiftsBetween(schedule, start, end, isPresent);
        const answers = readings.map(() => 'missing');
        const spans = [
          ...shifts.map(({ userId, layer, from, to }) => ({ text: `${userId} by ${layer}`, from, to })),
          ...gaps.map((gap) => ({ text: 'no one', ...gap })),
        ];
        for (const { text, from, to } of spans) {
          expect((from - start) % minuteMs).toBe(0);
          answers.fill(text, (from - start) / minuteMs, (to - start) / minuteMs);
        }
        const differing = answers.findIndex((answer, index) => answer !== expected[index]);
        if (differing >= 0)
          expect.fail(
            `${JSON.stringify(input)} without ${absent} at ${new Date(readings[differing]!.ms).toISOString()}: ` +
              `${answers[differing]} should be ${expected[differing]}`,
          );
        const instant = start + random.below(readings.length) * minuteMs;
        const duty = onCallAt(schedule, instant + random.below(minuteMs), isPresent);
        expect(duty ? `${duty.userId} by ${duty.layer}` : 'no one').toBe(
          expected[(instant - start) / minuteMs],
        );
      }
  expect(count).toBeGreaterThanOrEqual(wanted);
});

/** The clock of a zone at a minute: `2026-03-29 03:00`, and the weekday. */
type Reading = { ms: number; text: string; weekday: string; yesterday: string };

/** The minutes of six days around both switches of a zone; around two days of the year where it has none. */
function windowsOf(zone: string, year: number): Reading[][] {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const read = (ms: number): Reading => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute, weekday = '' } = parts;
    const today = weekday.slice(0, 3).toUpperCase();
    const index = (weekdays as readonly string[]).indexOf(today);
    return {
      ms,
      text: `${year}-${month}-${day} ${hour}:${minute}`,
      weekday: today,
      yesterday: weekdays[(index + 6) % 7]!,
    };
  };
  const start = Date.UTC(year, 0, 1);
  const time = (ms: number) => read(ms).text.slice(11);
  const switches: number[] = [];
  for (let day = 0; day < 365; day++)
    if (time(start + day * dayMs) !== time(start + (day + 1) * dayMs)) switches.push(start + day * dayMs);
  const [one = start + 58 * dayMs, other = start + 300 * dayMs] = switches;
  return [one, other].map((switched) =>
    Array.from({ length: 6 * 1440 }, (_, minute) => read(switched - 3 * dayMs + minute * minuteMs)),
  );
}

/**
 * Written apart from the code: a person with a clock on the wall who counts handovers. The clock has to reach the next handover;
 * that it is set back afterwards does not undo one.
 */
function walkSlowly(
  { layers, overrides }: ScheduleInput,
  readings: readonly Reading[],
  isPresent: (userId: number) => boolean,
): string[] {
  const states = layers.map((layer) => ({ turn: 0, next: '', hasBegun: false, layer }));
  const inDays = (text: string, days: number) =>
    new Date(Date.parse(`${text.slice(0, 10)}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
  return readings.map(({ ms, text, weekday, yesterday }) => {
    for (const state of states) {
      const { layer } = state;
      if (ms < layer.start) continue;
      const days = layer.unit === 'WEEKS' ? layer.every * 7 : layer.every;
      if (!state.hasBegun) {
        state.hasBegun = true;
        state.next = `${inDays(text, days)} ${layer.handover ?? text.slice(11)}`;
      }
      if (layer.unit === 'HOURS') state.turn = Math.floor((ms - layer.start) / 3_600_000 / layer.every);
      else if (text >= state.next) {
        state.turn++;
        state.next = `${inDays(state.next, days)} ${state.next.slice(11)}`;
      }
    }
    for (const { userId, from, to } of overrides)
      if (ms >= from && ms < to && isPresent(userId)) return `${userId} by null`;
    for (const [index, { turn, hasBegun, layer }] of states.entries()) {
      const userId = layer.userIds[turn % layer.userIds.length]!;
      if (hasBegun && isAllowed(layer, text.slice(11), weekday, yesterday) && isPresent(userId))
        return `${userId} by ${index}`;
    }
    return 'no one';
  });
}

function isAllowed(
  { restrictions = [] }: LayerInput,
  time: string,
  today: string,
  yesterday: string,
): boolean {
  if (restrictions.length === 0) return true;
  return restrictions.some(({ from: begin, to: finish, weekdays: days = [] }) => {
    const from = begin ?? '00:00';
    const to = finish ?? '24:00';
    const fits = (day: string) => days.length === 0 || days.some((name) => name === day);
    if (from < to) return time >= from && time < to && fits(today);
    return (time >= from && fits(today)) || (time < to && fits(yesterday));
  });
}

/** Layers begin within the first two days, so that the reference sees every handover. */
function randomSchedule(random: Random, zone: string, start: number): ScheduleInput {
  const time = () =>
    `${String(random.below(24)).padStart(2, '0')}:${random.pick(['00', '00', '15', '30', '59'])}`;
  const minute = (days: number) => start + random.below(days * 1440) * minuteMs;
  const layer = (): LayerInput => {
    const unit = random.pick(['HOURS', 'DAYS', 'DAYS', 'WEEKS'] as const);
    return {
      userIds: Array.from({ length: random.integer(1, 4) }, () => random.integer(1, 5)),
      unit,
      every: unit === 'HOURS' ? random.integer(1, 30) : unit === 'DAYS' ? random.integer(1, 3) : 1,
      start: minute(2),
      ...(unit !== 'HOURS' && random.chance(0.7)
        ? { handover: random.pick([time(), '02:30', '00:00']) }
        : {}),
      ...(random.chance(0.4)
        ? {
            restrictions: Array.from({ length: random.integer(1, 2) }, () => ({
              ...(random.chance(0.7) ? { from: time() } : {}),
              ...(random.chance(0.7) ? { to: random.pick([time(), '24:00']) } : {}),
              ...(random.chance(0.4) ? { weekdays: weekdays.filter(() => random.chance(0.5)) } : {}),
            })),
          }
        : {}),
    };
  };
  const override = () => {
    const from = minute(6);
    return { userId: random.integer(1, 5), from, to: from + random.integer(1, 2000) * minuteMs };
  };
  return {
    zone,
    layers: Array.from({ length: random.integer(1, 3) }, layer),
    overrides: Array.from({ length: random.below(3) }, override),
  };
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDue, nextRun, parseSchedule } from './schedule.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const after = (schedule: string | number, text: string) =>
  new Date(nextRun(parseSchedule(schedule), at(text))).toISOString().slice(0, 16);

describe('a schedule', () => {
  it.each([
    // A duration counts from the epoch, so every process finds the same times.
    ['10 min', '2026-11-15T04:36:30', '2026-11-15T04:40'],
    ['10 min', '2026-11-15T04:40:00', '2026-11-15T04:50'],
    ['1 day', '2026-11-15T04:40:00', '2026-11-16T00:00'],
    ['* * * * *', '2026-11-15T04:36:59', '2026-11-15T04:37'],
    ['*/15 * * * *', '2026-11-15T04:45:00', '2026-11-15T05:00'],
    ['5/20 * * * *', '2026-11-15T04:26:00', '2026-11-15T04:45'],
    ['30 6 * * *', '2026-11-15T06:30:00', '2026-11-16T06:30'],
    ['30 6 * * *', '2026-11-15T06:29:59', '2026-11-15T06:30'],
    ['0 0 1 JAN *', '2026-11-15T00:00:00', '2027-01-01T00:00'],
    ['0 9-17/4 * * mon-fri', '2026-11-13T17:00:00', '2026-11-16T09:00'],
    ['0 9,12 * * 7', '2026-11-15T10:00:00', '2026-11-15T12:00'],
    ['0 0 29 2 *', '2096-03-01T00:00:00', '2104-02-29T00:00'],
    // The 13th, and also every Friday.
    ['0 0 13 * FRI', '2026-11-13T00:00:00', '2026-11-20T00:00'],
    // A star with a step does not limit the day: only Mondays with an odd date.
    ['0 0 */2 * MON', '2026-11-15T00:00:00', '2026-11-23T00:00'],
    ['59 23 31 12 *', '2026-12-31T23:59:00', '2027-12-31T23:59'],
  ])('a schedule of %s runs after %s at %s', (schedule, from, expected) => {
    expect(after(schedule, from)).toBe(expected);
  });

  it('takes plain milliseconds', () => {
    expect(parseSchedule(60_000)).toEqual({ type: 'every', ms: 60_000 });
    expect(parseSchedule('60000')).toEqual({ type: 'every', ms: 60_000 });
  });

  it('is due once for any number of missed runs, and not before the next', () => {
    const schedule = parseSchedule('0 * * * *');
    expect(isDue(schedule, at('2026-11-15T00:00:00'), at('2026-11-15T00:59:59'))).toBe(false);
    expect(isDue(schedule, at('2026-11-15T00:00:00'), at('2026-11-15T01:00:00'))).toBe(true);
    expect(isDue(schedule, at('2026-11-15T00:00:00'), at('2026-11-17T13:30:00'))).toBe(true);
    expect(isDue(schedule, at('2026-11-17T13:30:00'), at('2026-11-17T13:59:59'))).toBe(false);
  });

  it('finds the same run whatever it was asked before', () => {
    const moments = fc.array(fc.integer({ min: 0, max: 3 * 86_400_000 }), { maxLength: 50 });
    fc.assert(
      fc.property(fc.constantFrom('*/7 * * * *', '30 6 * * *', '0 0 2 * *'), moments, (text, times) => {
        const asked = parseSchedule(text);
        for (const time of times) expect(nextRun(asked, time)).toBe(nextRun(parseSchedule(text), time));
      }),
    );
  });

  it('costs next to nothing to be asked again before its next run', () => {
    const schedule = parseSchedule('0 0 29 2 *');
    const [from, until] = [at('2025-01-01T00:00:00'), at('2025-02-01T00:00:00')];
    const start = performance.now();
    let due = 0;
    for (let ms = 0; ms < 100_000; ms++) due += isDue(schedule, from + ms, until) ? 1 : 0;
    expect(due).toBe(0);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it.each([
    ['0 0 31 2 *', 'never comes round'],
    ['0 0 31 4,6,9,11 *', 'never comes round'],
    ['60 * * * *', "'60' cannot be the minute"],
    ['* 24 * * *', "'24' cannot be the hour"],
    ['* * 0 * *', "'0' cannot be the day of month"],
    [
      '* * * FOO *',
      "'FOO' cannot be the month of a cron expression: write * or values from 1 to 12 or JAN to DEC",
    ],
    ['* * * * 8', "'8' cannot be the day of week"],
    ['30-10 * * * *', "'30-10' cannot be the minute"],
    ['*/0 * * * *', "'*/0' cannot be the minute"],
    ['1-2-3 * * * *', "'1-2-3' cannot be the minute"],
    [', * * * *', "'' cannot be the minute"],
    ['* * * *', 'is not a schedule'],
    ['* * * * * *', 'is not a schedule'],
    ['soon', "'soon' is not a duration"],
    ['', "'' is not a duration"],
    ['10 ms', 'too often'],
  ])('is not written %s', (text, message) => {
    expect(() => parseSchedule(text)).toThrow(RangeError);
    expect(() => parseSchedule(text)).toThrow(message);
  });
});

import { describe, expect, it } from 'vitest';
import { isDuration, parseDuration } from './duration.ts';

describe('a duration', () => {
  it.each([
    ['10 min', 600_000],
    ['1 day', 86_400_000],
    ['30 seconds', 30_000],
    ['7d', 604_800_000],
    ['1h', 3_600_000],
    ['500ms', 500],
    ['1.5 h', 5_400_000],
    ['0.07 s', 70],
    ['2 Weeks', 1_209_600_000],
    ['5m', 300_000],
    [' 250 ', 250],
    [250, 250],
    [0, 0],
  ])('a duration of %j is %d milliseconds', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
    expect(isDuration(text)).toBe(true);
  });

  it.each([
    '',
    'min',
    '-1 h',
    '10 fortnights',
    '1h 30m',
    '0.0001 s',
    1.5,
    -1,
    Number.NaN,
    '40000 days',
    '1e3',
  ])('is not written %j', (text) => {
    expect(() => parseDuration(text)).toThrow(/is not a duration: write a number and a unit/);
    expect(isDuration(text)).toBe(false);
  });
});

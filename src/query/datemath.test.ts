import { describe, expect, it } from 'vitest';
import { readVectors } from '../../test/query/vectorDocuments.ts';
import { Problem } from '../model/errors.ts';
import { parseDate, parseRangeEnd } from './datemath.ts';

type Vector = { expr: string; roundUp: boolean; ms?: number; error?: true };
const vectors: Vector[] = JSON.parse(readVectors('datemath-vectors.json'));
const now = Date.UTC(2026, 0, 1);

describe('parseDate', () => {
  it('has all its vectors', () => {
    expect(vectors).toHaveLength(108);
  });

  it.each(vectors)('reads $expr, rounding up: $roundUp', ({ expr, roundUp, ms }) => {
    expect(parseDate(expr, now, roundUp)).toBe(ms);
  });

  it('takes a unit without a number for one of it', () => {
    expect(parseDate('now-d', now, false)).toBe(now - 86_400_000);
  });

  it('reads every way to write an offset, and no more', () => {
    const noon = Date.UTC(2025, 11, 31, 12);
    for (const zone of ['Z', '', '+00', '+0000', '-00:00']) {
      expect(parseDate(`2025-12-31T12${zone}`, now, false), zone).toBe(noon);
    }
    for (const wrong of [
      '2025-12-31Z',
      '2025-12-31T12+0',
      '2025-12-31T12+19:00',
      '2025-12-31T12:00+00:60',
      '2025-12-31 12',
    ]) {
      expect(parseDate(wrong, now, false), wrong).toBeUndefined();
    }
    expect(parseDate('2025-12T', now, false)).toBe(Date.UTC(2025, 11, 1));
  });

  it('refuses hours, minutes and seconds that no clock shows', () => {
    for (const time of ['24', '24:00', '12:60', '12:00:60']) {
      expect(parseDate(`2025-12-31T${time}`, now, false), time).toBeUndefined();
    }
  });

  it('gives nothing beyond the dates there are', () => {
    for (const far of ['now+999999999y', '99999999999999999999', 'now-300000y/y', '9'.repeat(400)]) {
      expect(parseDate(far, now, true), far).toBeUndefined();
    }
  });
});

describe('parseRangeEnd', () => {
  it.each([
    ['1767225600000', 1_767_225_600_000, true],
    ['-5', -5, true],
    ['-1d', now - 86_400_000, false],
    ['now', now, false],
    ['now-1d/d', now - 86_400_000, false],
    ['+1M-1d', Date.UTC(2026, 0, 31), false],
    ['/y', now, false],
  ])('reads the start %s', (text, ms, isTimestamp) => {
    expect(parseRangeEnd(text, now, 'start')).toEqual({ ms, isTimestamp });
  });

  it('rounds a start down and an end up', () => {
    expect(parseRangeEnd('now-1d/d', now, 'end').ms).toBe(now - 1);
    expect(parseRangeEnd('now-1h/M', now, 'start').ms).toBe(Date.UTC(2025, 11, 1));
  });

  it.each([
    '',
    '1d',
    'now-',
    'now-d',
    '-1x',
    'now/d-1h',
    'now/d/h',
    '2025-12-31',
    '-1H',
    'now -1d',
    '1.5',
    '9'.repeat(30),
  ])('refuses %s and names the member', (text) => {
    expect(() => parseRangeEnd(text, now, 'end')).toThrow(Problem);
    expect(() => parseRangeEnd(text, now, 'end')).toThrow(/end of a range/);
  });
});

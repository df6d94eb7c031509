import { describe, expect, it } from 'vitest';
import { readVectors } from '../../test/query/vectorDocuments.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { Problem } from '../model/errors.ts';
import { type Buckets, createBuckets, denseBuckets, parseInterval } from './interval.ts';
import { parseTimeZone } from './timeZone.ts';

type Vectors = {
  rounding: { interval: string; timezone: string; t: number; bucket: number }[];
  dense: { interval: string; timezone: string; from: number; to: number; buckets: number[] }[];
  invalidIntervals: string[];
};
const vectors: Vectors = JSON.parse(readVectors('histogram-vectors.json'));
const hour = 3_600_000;
const day = 24 * hour;

/** Zones with one of their changes: forward, back, at midnight, over a whole day, by half an hour; and two without. */
const changes = [
  ['Europe/Paris', Date.UTC(2025, 2, 30, 1)],
  ['Europe/Paris', Date.UTC(2025, 9, 26, 1)],
  ['America/New_York', Date.UTC(2025, 2, 9, 7)],
  ['America/New_York', Date.UTC(2025, 10, 2, 6)],
  ['Atlantic/Azores', Date.UTC(2025, 9, 26, 1)],
  ['America/Sao_Paulo', Date.UTC(2018, 10, 4, 3)],
  ['America/Sao_Paulo', Date.UTC(2019, 1, 17, 2)],
  ['Asia/Beirut', Date.UTC(2022, 2, 26, 22)],
  ['Pacific/Apia', Date.UTC(2011, 11, 30, 10)],
  ['Australia/Lord_Howe', Date.UTC(2024, 9, 5, 15, 30)],
  ['Asia/Kathmandu', Date.UTC(2025, 0, 1)],
  ['Etc/GMT+5', Date.UTC(2025, 0, 1)],
] as const;

function buckets(interval: string, timezone: string): Buckets {
  return createBuckets(parseInterval(interval, '/interval'), parseTimeZone(timezone, '/timezone'));
}

describe('buckets', () => {
  it('start where the 765 vectors say', () => {
    expect(vectors.rounding).toHaveLength(765);
    for (const { interval, timezone, t, bucket } of vectors.rounding) {
      expect(buckets(interval, timezone).start(t), `${interval} ${timezone} ${t}`).toBe(bucket);
    }
  });

  it('are dense as the vectors say', () => {
    expect(vectors.dense).toHaveLength(7);
    for (const { interval, timezone, from, to, buckets: expected } of vectors.dense) {
      expect(denseBuckets(buckets(interval, timezone), from, to)).toEqual(expected);
    }
  });

  it.each(vectors.invalidIntervals)('have no interval %j', (interval) => {
    expect(() => parseInterval(interval, '/step')).toThrow(Problem);
    expect(() => parseInterval(interval, '/step')).toThrow(/is no interval/);
  });

  it('are at most 11,000', () => {
    expect(denseBuckets(buckets('1h', 'UTC'), 0, 10_999 * hour)).toHaveLength(11_000);
    expect(() => denseBuckets(buckets('1h', 'UTC'), 0, 11_000 * hour)).toThrow(/more than 11,000/);
    expect(() => denseBuckets(buckets('1ms', 'UTC'), -8.64e15, 8.64e15)).toThrow(/more than 11,000/);
  });

  it('need a range that does not end before it starts', () => {
    expect(() => denseBuckets(buckets('1h', 'UTC'), 1, 0)).toThrow(/must not be after/);
  });

  it.each(['', '+19:00', '+1:00', '02:00', 'Mars/Olympus', 'Europe/Paris ', '+02:60', '\u0000'])(
    'have no time zone %j',
    (timezone) => {
      expect(() => parseTimeZone(timezone, '/timezone')).toThrow(/is no time zone/);
    },
  );
});

describe('buckets of a named zone', () => {
  it('are 23 and 25 hours long on the days the clocks change', () => {
    const starts = denseBuckets(buckets('1d', 'Europe/Paris'), Date.UTC(2025, 2, 29), Date.UTC(2025, 2, 31));
    expect(starts.map((start) => new Date(start).toISOString())).toEqual([
      '2025-03-28T23:00:00.000Z',
      '2025-03-29T23:00:00.000Z',
      '2025-03-30T22:00:00.000Z',
    ]);
    const autumn = denseBuckets(
      buckets('day', 'America/New_York'),
      Date.UTC(2026, 10, 1, 4),
      Date.UTC(2026, 10, 2, 6),
    );
    expect(autumn).toEqual([Date.UTC(2026, 10, 1, 4), Date.UTC(2026, 10, 2, 5)]);
  });

  it('begin at the change where midnight was left out', () => {
    const start = buckets('1d', 'Asia/Beirut').start(Date.UTC(2022, 2, 27, 10));
    expect(new Date(start).toISOString()).toBe('2022-03-26T22:00:00.000Z');
  });

  it('begin at the first midnight where it comes twice', () => {
    const starts = denseBuckets(
      buckets('1d', 'Atlantic/Azores'),
      Date.UTC(2025, 9, 25, 12),
      Date.UTC(2025, 9, 27, 12),
    );
    expect(starts).toEqual([Date.UTC(2025, 9, 25), Date.UTC(2025, 9, 26), Date.UTC(2025, 9, 27, 1)]);
  });

  it('go on when the clock goes back before their start', () => {
    const starts = denseBuckets(
      buckets('90m', 'America/New_York'),
      Date.UTC(2025, 10, 2, 4),
      Date.UTC(2025, 10, 2, 8),
    );
    expect(starts.map((start) => new Date(start).toISOString().slice(11, 16))).toEqual([
      '04:00',
      '05:30',
      '06:30',
      '08:00',
    ]);
  });

  it('count the hour that comes twice as two', () => {
    const starts = denseBuckets(
      buckets('1h', 'Europe/Paris'),
      Date.UTC(2025, 9, 25, 22),
      Date.UTC(2025, 9, 26, 3),
    );
    expect(starts).toHaveLength(6);
  });

  it('follow one another without a gap and start themselves, for every zone, interval and instant tried', () => {
    const { random, pick } = createRandom('named zones');
    const intervals = '1m 15m 90m 1h 2h 3h 5h 7h 12h 1d 2d 7d 1w 1M 1q 1y 100d'.split(' ');
    for (let round = 0; round < 6_000; round++) {
      const [zone, change] = pick(changes);
      const interval = pick(intervals);
      const { start, next } = buckets(interval, zone);
      const isNear = random() < 0.7;
      const t = Math.floor(
        isNear ? change + (random() - 0.5) * 3 * day : Date.UTC(2000, 0, 1) + random() * 9_500 * day,
      );
      const first = start(t);
      const after = next(first);
      const message = `${zone} ${interval} ${t}`;
      expect(first, message).toBeLessThanOrEqual(t);
      expect(after, message).toBeGreaterThan(t);
      expect([start(first), start(after - 1), start(after)], message).toEqual([first, first, after]);
    }
  });
});

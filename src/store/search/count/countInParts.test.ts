import { describe, expect, it } from 'vitest';
import { Problem } from '../../../model/errors.ts';
import { countInParts, type Part } from './countInParts.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 10, 18, 12);
const all = { from: 0 };
const most = (limit: number) => ({ limit, now, endsAt: performance.now() + 60_000 });
const overLimit = () =>
  new Problem('unavailable', 'The search took longer than the time limit; narrow it down.');

/** Counts times as a table would, and notes which parts were asked for. */
function counterOf(times: readonly number[], fails: (part: Part) => boolean = () => false) {
  const asked: Part[] = [];
  const count = async (part: Part, limit: number) => {
    asked.push(part);
    if (fails(part)) throw overLimit();
    const { from, beyond = Number.POSITIVE_INFINITY } = part;
    return Math.min(limit, times.filter((time) => time >= from && time < beyond).length);
  };
  return { asked, count };
}

describe('countInParts', () => {
  it('counts every time once, those of the future and of 1970 too', async () => {
    const times = [0, 1, now - 400 * dayMs, now - 32 * dayMs, now - dayMs, now, now, now + 90 * dayMs];
    const { asked, count } = counterOf(times);
    expect(await countInParts(count, all, most(1_000_000))).toBe(times.length);
    expect(asked[0]?.beyond).toBeUndefined();
    expect(asked.at(-1)?.from).toBe(0);
    for (const [index, { from }] of asked.slice(0, -1).entries()) expect(asked[index + 1]?.beyond).toBe(from);
    // Parts grow as long as they are quick, and cut no month.
    expect(asked.length).toBeLessThan(15);
    for (const { from } of asked) expect(new Date(from).getUTCDate()).toBe(1);
  });

  it('stops at the limit', async () => {
    const { asked, count } = counterOf(Array.from({ length: 100 }, (_, n) => now - n * dayMs));
    expect(await countInParts(count, all, most(10))).toBe(10);
    expect(asked).toHaveLength(1);
  });

  it('counts a part that takes too long in shorter ones', async () => {
    const times = Array.from({ length: 1000 }, (_, n) => now - n * dayMs);
    const isLong = ({ from, beyond = now + dayMs }: Part) =>
      from > now - 1000 * dayMs && beyond - from > 10 * dayMs;
    const { asked, count } = counterOf(times, isLong);
    expect(await countInParts(count, all, most(1_000_000))).toBe(times.length);
    expect(asked.filter(isLong).length).toBeGreaterThan(1);
  });

  it('counts no more than the part that was asked for', async () => {
    const times = Array.from({ length: 1000 }, (_, n) => now - n * dayMs);
    const { asked, count } = counterOf(times);
    const whole = { from: now - 200 * dayMs, beyond: now - 100 * dayMs };
    expect(await countInParts(count, whole, most(1_000_000))).toBe(100);
    expect([asked[0]?.beyond, asked.at(-1)?.from]).toEqual([whole.beyond, whole.from]);
  });

  it('ends when its time is over', async () => {
    const { count } = counterOf([now]);
    const late = { ...most(1_000_000), endsAt: performance.now() - 1 };
    await expect(countInParts(count, all, late)).rejects.toThrow(/time limit/);
  });

  it('gives up where a day takes too long, and with what is no time limit at once', async () => {
    const never = counterOf([], () => true);
    await expect(countInParts(never.count, all, most(1_000_000))).rejects.toThrow(/time limit/);
    const down = new Problem('unavailable', 'The database cannot be reached at the moment.');
    let calls = 0;
    const fail = async () => {
      calls++;
      throw down;
    };
    await expect(countInParts(fail, all, most(1_000_000))).rejects.toBe(down);
    expect(calls).toBe(1);
  });
});

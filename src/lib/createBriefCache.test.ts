import { expect, it } from 'vitest';
import { createBriefCache } from './createBriefCache.ts';

it('loads a key once in its time, again after it or after a failure, and keeps no more than it may', async () => {
  let time = 0;
  let loads = 0;
  const read = createBriefCache<number>(10, 2, () => time);
  const load = async () => ++loads;
  expect(await Promise.all([read('a', load), read('a', load)])).toEqual([1, 1]);
  time = 11;
  expect(await read('a', load)).toBe(2);
  await expect(read('b', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await read('b', load)).toBe(3);
  expect(await read('c', load)).toBe(4);
  expect(await read('a', load)).toBe(5);
  expect(await read('c', load)).toBe(4);
});

it('lets the oldest go when all together are too heavy, and keeps the last however heavy it is', async () => {
  let loads = 0;
  const limit = { weigh: (value: number) => value, max: 10 };
  const read = createBriefCache<number>(1000, 5, () => 0, limit);
  const load = (weight: number) =>
    read(String(weight), async () => {
      loads++;
      return weight;
    });
  for (const weight of [4, 5, 4]) await load(weight);
  expect(loads).toBe(2);
  await load(6);
  await load(5);
  expect(loads).toBe(4);
  await load(99);
  await load(99);
  expect(loads).toBe(5);
});

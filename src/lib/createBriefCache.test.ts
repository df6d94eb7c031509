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

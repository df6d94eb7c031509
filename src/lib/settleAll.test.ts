import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { settleAll } from './settleAll.ts';

test('results come in the order of the work', async () => {
  const slow = sleep(5, 'slow');
  expect(await settleAll([slow, Promise.resolve(2)])).toEqual(['slow', 2]);
});

test('a failure waits for the rest of the work', async () => {
  let hasEnded = false;
  const rest = sleep(5).then(() => {
    hasEnded = true;
  });
  await expect(settleAll([Promise.reject(new Error('refused')), rest])).rejects.toThrow('refused');
  expect(hasEnded).toBe(true);
});

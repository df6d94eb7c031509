import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createGate } from './gate.ts';

it('runs no more than the limit of one key at once, in order, and gives a place back when work fails', async () => {
  const gate = createGate(2);
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const work = (n: number) => async () => {
    most = Math.max(most, ++running);
    order.push(n);
    await sleep(5);
    running -= 1;
    if (n === 1) throw new Error('failed');
  };
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((n) => gate('a', work(n))));
  expect(most).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  expect(results.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
});

it('never lets one key wait for another', async () => {
  const gate = createGate(1);
  let release = () => {};
  const held = gate('a', () => new Promise<void>((resolve) => (release = resolve)));
  await expect(gate('b', async () => 'through')).resolves.toBe('through');
  release();
  await held;
});

it('turns away whoever finds the line full, and nobody else', async () => {
  const gate = createGate(1, { most: 2, full: () => new Error('full') });
  const done = await Promise.allSettled([0, 1, 2, 3].map((n) => gate('a', async () => n)));
  expect(
    done.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
  ).toEqual([0, 1, 2, 'full']);
  await expect(gate('a', async () => 'again')).resolves.toBe('again');
});

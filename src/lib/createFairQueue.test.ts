import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFairQueue } from './createFairQueue.ts';

/** A queue on a clock that moves only by the cost of each work. */
function createClocked(options: { slots: number; slotsPerKey?: number }) {
  let clock = 0;
  const queue = createFairQueue({ ...options, now: () => clock });
  const order: string[] = [];
  const run = (key: string, costMs: number) =>
    queue.run(key, async () => {
      await Promise.resolve();
      clock += costMs;
      order.push(key);
    });
  return { queue, run, order };
}

it('runs no more than its slots at once, in order, and frees a slot when work fails', async () => {
  const queue = createFairQueue({ slots: 2 });
  let running = 0;
  let highest = 0;
  const order: number[] = [];
  const work = (n: number) => async () => {
    highest = Math.max(highest, ++running);
    order.push(n);
    await sleep(5);
    running -= 1;
    if (n === 1) throw new Error('failed');
  };
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((n) => queue.run('a', work(n))));
  expect(highest).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  expect(results.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
  expect(queue.stats()).toEqual({ running: 0, waiting: 0 });
});

it('gives a key that comes later the next slot, however much another has waiting', async () => {
  const { run, order } = createClocked({ slots: 1 });
  const greedy = Array.from({ length: 50 }, () => run('greedy', 100));
  const modest = run('modest', 1);
  await Promise.all([...greedy, modest]);
  expect(order.indexOf('modest')).toBe(1);
});

it('shares slot time and not turns: expensive work waits for its own key', async () => {
  const { run, order } = createClocked({ slots: 1 });
  await Promise.all([
    ...Array.from({ length: 10 }, () => run('expensive', 100)),
    ...Array.from({ length: 40 }, () => run('cheap', 10)),
  ]);
  // Ten cheap ones cost as much as one expensive one, so the third expensive one waits for twenty of them.
  const beforeThird = order.slice(0, order.indexOf('expensive', order.indexOf('expensive', 1) + 1));
  expect(beforeThird.filter((key) => key === 'cheap').length).toBeGreaterThanOrEqual(19);
});

it('lets a key save up nothing while it is idle', async () => {
  const { run, order } = createClocked({ slots: 1 });
  const busy = Array.from({ length: 30 }, () => run('busy', 10));
  await busy[9];
  const late = Array.from({ length: 10 }, () => run('late', 10));
  await Promise.all([...busy, ...late]);
  const lastLate = order.lastIndexOf('late');
  // From then on they take turns.
  expect(order.slice(10, lastLate).filter((key) => key === 'busy').length).toBeGreaterThanOrEqual(8);
});

it('keeps room for others where one key may not have every slot', async () => {
  const queue = createFairQueue({ slots: 2, slotsPerKey: 1 });
  let release = () => {};
  const held = queue.run('a', () => new Promise<void>((resolve) => (release = resolve)));
  const second = queue.run('a', async () => 'second');
  await expect(queue.run('b', async () => 'through')).resolves.toBe('through');
  release();
  await held;
  await expect(second).resolves.toBe('second');
});

it('refuses what comes when a key has too much waiting, and nothing of others', async () => {
  const queue = createFairQueue({
    slots: 1,
    waitingPerKey: 2,
    full: (key) => new Error(`full: ${key}`),
  });
  const works = [0, 1, 2, 3].map((n) => queue.run('a', async () => n));
  const other = queue.run('b', async () => 'other');
  const results = await Promise.allSettled([...works, other]);
  expect(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
  ).toEqual([0, 1, 2, 'full: a', 'other']);
  await expect(queue.run('a', async () => 'again')).resolves.toBe('again');
});

it('leaves room for other groups while works of one group do not end, whichever keys they have', async () => {
  const queue = createFairQueue({ slots: 4, slotsPerGroup: 2 });
  let letGo = () => {};
  const hanging = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const stuck = ['a', 'b', 'c', 'd'].map((key) => queue.run(key, () => hanging, false, 'worker 1'));
  expect(queue.stats()).toEqual({ running: 2, waiting: 2 });
  expect(await queue.run('e', async () => 'done', false, 'worker 2')).toBe('done');
  expect(await queue.run('f', async () => 'done')).toBe('done');
  letGo();
  await Promise.all(stuck);
  expect(queue.stats()).toEqual({ running: 0, waiting: 0 });
});

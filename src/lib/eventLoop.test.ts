import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurnPacer } from './eventLoop.ts';

const busyMs = 5;

function work(): void {
  for (const until = performance.now() + busyMs; performance.now() < until; );
}

it('lets others have their turn between pieces of work that start at once', async () => {
  const pace = createTurnPacer(10);
  let turns = 0;
  const others = setInterval(() => {
    turns++;
  }, 1);
  const pieces = Array.from({ length: 20 }, async () => {
    const turn = pace();
    if (turn) await turn;
    work();
  });
  await Promise.all(pieces);
  clearInterval(others);
  expect(turns).toBeGreaterThanOrEqual(10);
});

it('waits for nothing while there is little to do', async () => {
  const pace = createTurnPacer(100);
  expect(pace()).toBeUndefined();
  expect(pace()).toBeUndefined();
  work();
  await sleep(200);
  expect(pace()).toBeUndefined();
});

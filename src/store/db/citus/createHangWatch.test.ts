import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../../testing/until.ts';
import { createHangWatch, type HangWatch, runWatched, type ServerUse } from './createHangWatch.ts';

const open: HangWatch[] = [];
afterEach(() => {
  for (const watch of open.splice(0)) watch.close();
});

/** A server that answers probes at once, never, or by saying that it does not serve, as the test sets it. */
function createServer({ isBehind = false, isQueued = false, answerMs = 300 } = {}) {
  const server = {
    answer: true as boolean | 'never',
    asked: 0,
    changes: [] as boolean[],
    probe: {
      ask: (): Promise<boolean> => {
        server.asked++;
        return server.answer === 'never' ? new Promise(() => {}) : Promise.resolve(server.answer);
      },
      rest: () => {},
    },
  };
  const watch = createHangWatch({
    words: 'The server does not answer.',
    probe: server.probe,
    answerMs,
    isBehind,
    isQueued,
    onChange: (isSilent) => server.changes.push(isSilent),
  });
  open.push(watch);
  return { server, watch };
}

/** A statement that ends only when it is cut off. */
const stuck = (use: ServerUse) =>
  new Promise<never>((_, reject) => {
    use.cut = () => reject(new Error('cut'));
  });

const refusal = { code: 'unavailable', message: 'The server does not answer.' };

it('cuts off what runs on a server that hangs, refuses what comes, and serves again as soon as it answers', async () => {
  const { server, watch } = createServer();
  server.answer = 'never';
  const startedAt = performance.now();
  await expect(runWatched([watch], stuck)).rejects.toMatchObject({
    ...refusal,
    members: { retryAfterSeconds: 2 },
    cause: expect.objectContaining({ message: 'cut' }),
  });
  expect(performance.now() - startedAt).toBeGreaterThan(600);
  let isSent = false;
  const send = async () => {
    isSent = true;
  };
  await expect(runWatched([watch], send)).rejects.toMatchObject(refusal);
  expect(isSent).toBe(false);
  server.answer = true;
  await until(() => !watch.isSilent);
  await runWatched([watch], send);
  expect(isSent).toBe(true);
  expect(server.changes).toEqual([true, false]);
});

it('leaves a statement alone that takes long on a server that answers', async () => {
  const { server, watch } = createServer();
  expect(await runWatched([watch], () => sleep(1500, 'done'))).toBe('done');
  expect(server.asked).toBeGreaterThan(0);
  expect(server.changes).toEqual([]);
});

it('does not take a probe for unanswered that is on its way when the last statement ends', async () => {
  const { server, watch } = createServer({ answerMs: 5000 });
  let answer: ((isAnswered: boolean) => void) | undefined;
  server.probe.ask = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  server.probe.rest = () => answer?.(false);
  await runWatched([watch], () => until(() => answer));
  // Longer than the pause between two looks at what runs.
  await sleep(500);
  answer?.(true);
  await sleep(10);
  expect(server.changes).toEqual([]);
});

it('asks nothing while statements are answered soon', async () => {
  const { server, watch } = createServer();
  for (let n = 0; n < 20; n++) await runWatched([watch], () => sleep(50));
  expect(server.asked).toBe(0);
});

it('does not take its own delay for that of the server', async () => {
  const { server, watch } = createServer();
  const work = runWatched([watch], () => sleep(1200, 'done'));
  await until(() => server.asked > 0);
  const busyUntil = performance.now() + 800;
  while (performance.now() < busyUntil);
  expect(await work).toBe('done');
  expect(server.changes).toEqual([]);
});

it('blames the server behind for a time limit, where that does not answer', async () => {
  const limit = Object.assign(new pg.DatabaseError('canceling statement', 0, 'error'), { code: '57014' });
  const slow = () => Promise.reject(limit);
  const { server, watch } = createServer({ isBehind: true });
  await expect(runWatched([watch], slow)).rejects.toBe(limit);
  server.answer = 'never';
  await expect(runWatched([watch], slow)).rejects.toMatchObject(refusal);
});

it('looks again for a server that was found silent while nothing ran there', async () => {
  const { server, watch } = createServer({ isBehind: true });
  server.answer = false;
  expect(await watch.answersBehind?.()).toBe(false);
  await expect(runWatched([watch], stuck)).rejects.toMatchObject(refusal);
  server.answer = true;
  await until(() => !watch.isSilent);
  expect(await runWatched([watch], async () => 'done')).toBe('done');
});

it('refuses what needs several servers when one of them is silent', async () => {
  const [first, second] = [createServer(), createServer()];
  second.server.answer = false;
  await expect(runWatched([second.watch], stuck)).rejects.toMatchObject(refusal);
  await expect(runWatched([first.watch, second.watch], stuck)).rejects.toMatchObject(refusal);
  expect(await runWatched([first.watch], async () => 'done')).toBe('done');
});

it('takes a probe that waits at a pooler for no hang while statements are answered, and for one when none is', async () => {
  const { server, watch } = createServer({ isQueued: true });
  server.answer = 'never';
  const waiting = runWatched([watch], stuck);
  waiting.catch(() => undefined);
  const others = setInterval(() => void runWatched([watch], async () => {}), 50);
  await until(() => server.asked >= 3);
  expect(watch.isSilent).toBe(false);
  clearInterval(others);
  await expect(waiting).rejects.toMatchObject(refusal);
  expect(server.changes).toEqual([true]);
});

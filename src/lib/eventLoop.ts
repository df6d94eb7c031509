import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time that yielding work may hold the event loop. */
const sliceMs = 10;

let sliceEnd = 0;
let last: Promise<void> = Promise.resolve();

/**
 * Awaited between pieces of long work: yields the event loop after a slice. All such work of the process shares the
 * slices, because several at once would hold the loop together.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() < sliceEnd) return;
  last = last.then(() => nextTurn());
  await last;
  sliceEnd = performance.now() + sliceMs;
}

/**
 * Spreads work over turns of the event loop: work that would start in a turn older than `sliceMs` waits for a new turn.
 * Otherwise pieces that end together would run in one turn.
 */
export function createTurnPacer(sliceMs: number): () => Promise<void> | undefined {
  let turnStartedAt: number | undefined;
  let lastWaiting: Promise<void> = Promise.resolve();

  return () => {
    const now = performance.now();
    if (turnStartedAt === undefined) {
      turnStartedAt = now;
      setImmediate(() => {
        turnStartedAt = undefined;
      });
      return undefined;
    }
    if (now - turnStartedAt < sliceMs) return undefined;
    lastWaiting = lastWaiting.then(() => nextTurn());
    return lastWaiting;
  };
}

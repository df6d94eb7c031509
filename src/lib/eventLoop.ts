import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long yielding work may hold the event loop. */
const sliceMs = 10;

let sliceEnd = 0;
let last: Promise<void> = Promise.resolve();

/**
 * Awaited between pieces of long work: gives the event loop back once it was held for a slice. All such work of the
 * process shares the slices and takes turns, or several at once would together hold the loop for longer.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() < sliceEnd) return;
  last = last.then(() => nextTurn());
  await last;
  sliceEnd = performance.now() + sliceMs;
}

/**
 * Spreads work over turns of the event loop: what starts in a turn that has lasted `sliceMs` already waits for a turn of its
 * own. Without it, many pieces of work that end at once follow each other in one turn, and everything else waits for all.
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

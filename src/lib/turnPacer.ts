import { setImmediate as nextTurn } from 'node:timers/promises';

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

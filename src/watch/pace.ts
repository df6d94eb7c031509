import type { ChainClient } from '../chains/chainClient.ts';
import type { Block } from '../model/block.ts';

type Options = { client: ChainClient; blockTimeMs: number; now: () => number; signal: AbortSignal };

/** Decides how long to wait for the next block: until a node announces it, or until it is due. */
export function createPace({ client, blockTimeMs, now, signal }: Options) {
  let wake: () => void = () => {};
  let isAnnounced = false;
  let announces = false;
  let intervalMs = blockTimeMs;
  let seenAt = now();
  let misses = 0;
  let troubles = 0;
  const stopListening = client.onHead(() => {
    announces = true;
    isAnnounced = true;
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (isAnnounced || signal.aborted) {
        isAnnounced = false;
        resolve();
        return;
      }
      const timer = setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        isAnnounced = false;
        wake = () => {};
        resolve();
      }
      wake = done;
    });
  }

  return {
    seen(block: Block): void {
      const at = now();
      // Only at the head does the time between two blocks tell how often they come.
      if (misses > 0)
        intervalMs = Math.max(50, intervalMs * 0.8 + Math.min(at - seenAt, blockTimeMs * 4) * 0.2);
      seenAt = Math.max(at, block.receivedAt);
      misses = 0;
      troubles = 0;
    },
    /** After a question in vain. With a node that announces blocks this is only a safety net. */
    wait(): Promise<void> {
      misses++;
      if (announces) return sleep(Math.max(1000, 2 * blockTimeMs));
      const dueIn = seenAt + intervalMs - now();
      const step = Math.min(1000, Math.max(50, intervalMs / 10));
      return sleep(dueIn > step && misses === 1 ? dueIn - step / 2 : step);
    },
    /** Every now and then while nothing comes. */
    shouldCompare: () => misses > 0 && misses % 5 === 0,
    backOff(): Promise<void> {
      troubles++;
      isAnnounced = false;
      return sleep(Math.min(5000, 100 * 2 ** Math.min(troubles, 6)));
    },
    stop(): void {
      stopListening();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

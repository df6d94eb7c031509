import type { ChainClient } from '../chains/chainClient.ts';
import type { Block } from '../model/block.ts';

type Options = { client: ChainClient; blockTimeMs: number; now: () => number; signal: AbortSignal };

/** Decides when to ask for the next block: when a node announces it, or when it is due. */
export function createPacer({ client, blockTimeMs, now, signal }: Options) {
  let wake: () => void = () => {};
  let wanted = -1;
  let newest = -1;
  /** The head announced last, and whether announcements come before the blocks are found without them. */
  let announced = -1;
  let isAnnounced = false;
  let isLower = false;
  let isAtHead = false;
  let intervalMs = blockTimeMs;
  let seenAt = now();
  let misses = 0;
  let hits = Number.POSITIVE_INFINITY;
  let failures = 0;
  const stopListening = client.onHead((number) => {
    const isNews = number !== announced;
    announced = number;
    if (number >= newest - 1) isAnnounced = true;
    // A head far below ours is either of a node that is behind or of a chain that was reorganised.
    isLower = number < newest;
    if (isNews && (number >= wanted || isLower)) wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);

  function sleep(ms: number, isWoken = true): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const timer = setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        wake = () => {};
        resolve();
      }
      wake = () => {
        if (isWoken || signal.aborted) done();
      };
    });
  }

  function pollAfter(): number {
    // It is said to be there, so that the nodes that are asked will have it in a moment.
    if (announced >= wanted || client.head() >= wanted) return Math.min(1000, 50 * 2 ** Math.min(misses, 5));
    const step = Math.min(1000, Math.max(50, intervalMs / 10) * Math.max(1, misses / 10));
    const dueIn = seenAt + intervalMs - now();
    return dueIn > step && misses <= 1 ? dueIn - step / 2 : step;
  }

  return {
    /** Waits until the block is likely to be there. */
    async wait(next: number): Promise<void> {
      wanted = next;
      const isExpected = !isAtHead || client.head() >= next || announced >= next;
      if (misses === 0 && isExpected) return;
      // Announced blocks are asked for without an announcement too, but only as a safety net.
      await sleep(isAnnounced && announced < next ? Math.max(500, 2 * blockTimeMs) : pollAfter());
    },
    /** Whether there may be more to catch up with than is known of. */
    mayBeBehind: (next: number) => client.head() < next && (hits >= 3 || announced > next + 1),
    received(blocks: readonly Block[]): void {
      const at = now();
      const { number, receivedAt } = blocks.at(-1)!;
      if (isAnnounced && misses > 0 && number > announced) isAnnounced = false;
      isAtHead = isAnnounced || misses > 0;
      // Only at the head does the time between two blocks tell how often they come.
      if (isAtHead)
        intervalMs = Math.max(50, intervalMs * 0.8 + Math.min(at - seenAt, blockTimeMs * 4) * 0.2);
      seenAt = Math.max(at, receivedAt);
      hits = misses > 0 || announced === number ? 0 : hits + 1;
      newest = number;
      misses = 0;
      failures = 0;
    },
    /** The block was asked for in vain. */
    missed(): void {
      misses++;
      hits = 0;
      isAtHead = true;
    },
    headPolled(): void {
      hits = 0;
    },
    /** Every now and then while nothing comes, and when a node says that the chain has become shorter. */
    shouldCheckReorg(): boolean {
      const isDue = isLower || misses % 5 === 4;
      isLower = false;
      return isDue;
    },
    rewound(to: number): void {
      newest = to;
      misses = 0;
      isAtHead = false;
    },
    backOff(): Promise<void> {
      failures++;
      return sleep(Math.min(2000, 100 * 2 ** Math.min(failures, 6)), false);
    },
    stop(): void {
      stopListening();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

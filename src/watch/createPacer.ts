import type { ChainClient } from '../chains/chainClient.ts';
import type { Block } from '../model/block.ts';

type Options = { client: ChainClient; blockTimeMs: number; now: () => number; signal: AbortSignal };

/** Decides when to poll for the next block: when a node announces it, or when it is due. */
export function createPacer({ client, blockTimeMs, now, signal }: Options) {
  let wake: () => void = () => {};
  let awaited = -1;
  let newest = -1;
  /** The last announced head, and whether announcements arrive before polling finds the blocks. */
  let announced = -1;
  let isAnnounced = false;
  let isLower = false;
  let isAtHead = false;
  let intervalMs = blockTimeMs;
  let lastBlockAt = now();
  let misses = 0;
  let hits = Number.POSITIVE_INFINITY;
  let failures = 0;
  const stopListening = client.onHead((number) => {
    const isNews = number !== announced;
    announced = number;
    if (number >= newest - 1) isAnnounced = true;
    // A head below ours: the node lags behind, or the chain was reorganised.
    isLower = number < newest;
    if (isNews && (number >= awaited || isLower)) wake();
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
    // The block was announced, so the polled nodes have it in a moment.
    if (announced >= awaited || client.head() >= awaited)
      return Math.min(1000, 50 * 2 ** Math.min(misses, 5));
    const step = Math.min(1000, Math.max(50, intervalMs / 10) * Math.max(1, misses / 10));
    const dueIn = lastBlockAt + intervalMs - now();
    return dueIn > step && misses <= 1 ? dueIn - step / 2 : step;
  }

  return {
    /** Waits until the block is likely to exist. */
    async wait(next: number): Promise<void> {
      awaited = next;
      const isExpected = !isAtHead || client.head() >= next || announced >= next;
      if (misses === 0 && isExpected) return;
      // With announcements, polling is only a safety net.
      await sleep(isAnnounced && announced < next ? Math.max(500, 2 * blockTimeMs) : pollAfter());
    },
    /** Whether the chain may be further than the known head. */
    mayBeBehind: (next: number) => client.head() < next && (hits >= 3 || announced > next + 1),
    received(blocks: readonly Block[]): void {
      const at = now();
      const last = blocks.at(-1);
      if (!last) return;
      const { number, receivedAt } = last;
      if (isAnnounced && misses > 0 && number > announced) isAnnounced = false;
      isAtHead = isAnnounced || misses > 0;
      // Only at the head is the time between two blocks the block interval.
      if (isAtHead)
        intervalMs = Math.max(50, intervalMs * 0.8 + Math.min(at - lastBlockAt, blockTimeMs * 4) * 0.2);
      lastBlockAt = Math.max(at, receivedAt);
      hits = misses > 0 || announced === number ? 0 : hits + 1;
      newest = number;
      misses = 0;
      failures = 0;
    },
    /** Polling did not find the block. */
    missed(): void {
      misses++;
      hits = 0;
      isAtHead = true;
    },
    headPolled(): void {
      hits = 0;
    },
    /** True at every fifth poll without a block, and when a node announced a lower head. */
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

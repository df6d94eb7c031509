import type { ChainClient } from '../../chains/chainClient.ts';
import type { Block } from '../../model/block.ts';
import { createArrivals } from './createArrivals.ts';

type Options = { client: ChainClient; blockTimeMs: number; now: () => number; signal: AbortSignal };

/** Polls of one block on average, kept below four. */
const wantedPolls = 3;

/** Decides when to poll for the next block: when a node announces it, or when it is due by the chain's own pace. */
export function createPacer({ client, blockTimeMs, now, signal }: Options) {
  const arrivals = createArrivals(blockTimeMs);
  let wake: () => void = () => {};
  let awaited = -1;
  let newest = -1;
  /** The last announced head, and whether announcements arrive before polling finds the blocks. */
  let announced = -1;
  let isAnnounced = false;
  let isLower = false;
  let isAtHead = false;
  let misses = 0;
  /** Those since a node announced the awaited block. */
  let vainTries = 0;
  /** Time of the last poll that did not find the awaited block. */
  let missedAt: number | undefined;
  let hits = Number.POSITIVE_INFINITY;
  /** Blocks in a row that the first poll found. */
  let firstHits = 0;
  let failures = 0;
  /** Polls per block of late, and how much further apart than wanted they are to keep it low. */
  let polls = wantedPolls;
  let stretch = 1;
  const heads = client.onHead((number) => {
    const isNews = number !== announced;
    announced = number;
    if (number >= newest - 1) isAnnounced = true;
    // A head below ours: the node lags behind, or the chain was reorganised.
    isLower = number < newest;
    if (isNews && number >= awaited) vainTries = 0;
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

  /**
   * The most time between two polls: a second, more where blocks are so far apart that it does not matter, and less where they
   * come much faster than the chain is said to make them.
   */
  function longestMs(): number {
    const interval = arrivals.intervalMs();
    const most = Math.min(3000, Math.max(1000, arrivals.usualMs() / 100));
    return interval < blockTimeMs / 2 ? Math.min(most, Math.max(250, interval / 4)) : most;
  }

  /** Time between two polls while the block is due. */
  function spacingMs(): number {
    const interval = arrivals.intervalMs();
    return Math.min(longestMs(), Math.max(50, interval / (interval > 4000 ? 24 : 10)) * stretch);
  }

  function pollAfter(): number {
    // The block was announced, so the polled nodes have it in a moment.
    if (announced >= awaited || client.head() >= awaited)
      return Math.min(1000, 50 * 2 ** Math.min(vainTries, 5));
    const at = now();
    const spacing = spacingMs();
    const due = arrivals.due(at);
    const isListening = isAnnounced && announced < awaited && misses === 0;
    // With announcements, polling is only a safety net: when a block is overdue, the connection may have fallen silent.
    if (isListening) return Math.max(spacing, due ? due.to + spacing - at : arrivals.usualMs());
    if (due && at < due.from)
      return Math.max(1, misses <= 2 ? due.from - at : Math.min(due.from - at, overdueMs()));
    return due && at <= due.to + spacing ? spacing : overdueMs();
  }

  /** A block that is overdue comes late in its slot, or in another one. */
  function overdueMs(): number {
    return Math.min(longestMs(), spacingMs() * Math.max(1, misses / 10));
  }

  return {
    /** Waits until the block is likely to exist. */
    async wait(next: number): Promise<void> {
      awaited = next;
      const isExpected = !isAtHead || client.head() >= next || announced >= next;
      if (misses === 0 && isExpected) return;
      await sleep(pollAfter());
    },
    /** True if the chain may be further than the known head. */
    mayBeBehind: (next: number) => client.head() < next && (hits >= 3 || announced > next + 1),
    /** True if a node said that it has the block. */
    isAnnounced: (number: number) => announced >= number,
    received(blocks: readonly Block[]): void {
      const at = now();
      const last = blocks.at(-1);
      if (!last) return;
      const { number, timestamp } = last;
      if (number > announced) {
        isAnnounced = false;
        if (isAtHead && blocks.length === 1) heads.appeared(number);
      }
      const isFirstPoll = misses === 0 && !isAnnounced;
      firstHits = isFirstPoll ? firstHits + 1 : 0;
      if (!isAtHead || blocks.length > 1) arrivals.addPast(blocks);
      else {
        if (misses <= 10 && !isAnnounced) adaptSpacing(misses + 1);
        arrivals.add({ number, timestamp, foundAt: at, missedAt }, spacingMs());
      }
      // One block that is there at once was due; when the next is too, there may be more of them.
      isAtHead = !isFirstPoll || (isAtHead && firstHits < 2);
      hits = isAtHead || announced === number ? 0 : hits + 1;
      newest = number;
      misses = 0;
      vainTries = 0;
      missedAt = undefined;
      failures = 0;
    },
    /** Polling did not find the block. */
    missed(): void {
      misses++;
      vainTries++;
      missedAt = now();
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
      arrivals.rewind(to);
      misses = 0;
      missedAt = undefined;
      isAtHead = false;
    },
    backOff(): Promise<void> {
      failures++;
      return sleep(Math.min(2000, 100 * 2 ** Math.min(failures, 6)), false);
    },
    stop(): void {
      heads.stop();
      signal.removeEventListener('abort', onAbort);
    },
  };

  function adaptSpacing(needed: number): void {
    polls = polls * 0.9 + needed * 0.1;
    if (polls > wantedPolls) stretch = Math.min(20, stretch * 1.1);
    else if (polls < wantedPolls - 0.5) stretch = Math.max(1, stretch * 0.97);
  }
}

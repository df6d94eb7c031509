export type FairQueue = {
  /**
   * Runs `work` when its key's turn comes, urgent work before the other work of its key; rejects at once with `full()` when the
   * key has too much waiting.
   */
  run<T>(key: string | number, work: () => Promise<T>, isUrgent?: boolean): Promise<T>;
  stats(): { running: number; waiting: number };
};

type Options = {
  /** Works that run at once, over all keys. */
  slots: number;
  /** Works of one key that run at once; fewer than `slots` keeps room for a key that comes later. */
  slotsPerKey?: number;
  /** Works of one key that may wait. */
  waitingPerKey?: number;
  full?: (key: string | number) => Error;
  now?: () => number;
};

type Share = { running: number; spentMs: number; waiting: (() => void)[]; urgent: number };

/**
 * Shares slots fairly between keys, such as tenants. The next slot goes to the key that runs least, then to the least
 * used. A key's work runs in order, urgent work first.
 */
export function createFairQueue({
  slots,
  slotsPerKey = slots,
  waitingPerKey = Number.POSITIVE_INFINITY,
  full = () => new Error('Too much work is waiting.'),
  now = () => performance.now(),
}: Options): FairQueue {
  const shares = new Map<string | number, Share>();
  let running = 0;
  let waiting = 0;
  /** Slot time used by the key that was served last: where a key starts that comes new or after a pause. */
  let levelMs = 0;

  function shareOf(key: string | number): Share {
    const cached = shares.get(key);
    if (cached) {
      // A pause earns no credit, else a key could save up slots and take them all at once.
      if (cached.running === 0 && cached.waiting.length === 0)
        cached.spentMs = Math.max(cached.spentMs, levelMs);
      return cached;
    }
    const share = { running: 0, spentMs: levelMs, waiting: [], urgent: 0 };
    shares.set(key, share);
    return share;
  }

  function startNext(): void {
    while (waiting > 0) {
      const share = running < slots ? nextShare() : undefined;
      const start = share?.waiting.shift();
      if (!share || !start) return;
      levelMs = Math.max(levelMs, share.spentMs);
      waiting -= 1;
      start();
    }
  }

  function nextShare(): Share | undefined {
    let next: Share | undefined;
    for (const share of shares.values()) {
      if (share.waiting.length === 0 || share.running >= slotsPerKey) continue;
      if (
        !next ||
        share.running < next.running ||
        (share.running === next.running && share.spentMs < next.spentMs)
      )
        next = share;
    }
    return next;
  }

  /** Keys without work and without debt are forgotten. */
  function forget(): void {
    const isIdle = running === 0 && waiting === 0;
    for (const [key, share] of shares)
      if (isIdle || (share.running === 0 && share.waiting.length === 0 && share.spentMs <= levelMs))
        shares.delete(key);
  }

  return {
    async run(key, work, isUrgent = false) {
      const share = shareOf(key);
      if (share.waiting.length >= waitingPerKey) throw full(key);
      if (running >= slots || share.running >= slotsPerKey || share.waiting.length > 0) {
        waiting += 1;
        await new Promise<void>((resolve) => {
          const start = () => {
            if (isUrgent) share.urgent -= 1;
            take(share);
            resolve();
          };
          if (isUrgent) share.waiting.splice(share.urgent++, 0, start);
          else share.waiting.push(start);
        });
      } else take(share);
      const startedAt = now();
      try {
        return await work();
      } finally {
        running -= 1;
        share.running -= 1;
        share.spentMs += now() - startedAt;
        startNext();
        forget();
      }
    },
    stats: () => ({ running, waiting }),
  };

  function take(share: Share): void {
    running += 1;
    share.running += 1;
  }
}

export type FairQueue = {
  /**
   * Runs `work` when its key's turn comes, urgent work before the other work of its key; rejects at once with `full()` when the
   * key has too much waiting. `group`: what its key shares with others, such as a server.
   */
  run<T>(key: string | number, work: () => Promise<T>, isUrgent?: boolean, group?: string): Promise<T>;
  stats(): { running: number; waiting: number };
};

type Options = {
  /** Works that run at once, over all keys. */
  slots: number;
  /** Works of one key that run at once; fewer than `slots` keeps room for a key that comes later. */
  slotsPerKey?: number;
  /** Works of one group that run at once, so that a group that stops leaves room for the others. */
  slotsPerGroup?: number;
  /** Works of one key that may wait. */
  waitingPerKey?: number;
  full?: (key: string | number) => Error;
  now?: () => number;
};

type Share = {
  running: number;
  spentMs: number;
  waiting: (() => void)[];
  urgent: number;
  /** That of its last work. */
  group: string | undefined;
};

/**
 * Shares slots fairly between keys, such as tenants. The next slot goes to the key that runs least, then to the least
 * used. A key's work runs in order, urgent work first.
 */
export function createFairQueue({
  slots,
  slotsPerKey = slots,
  slotsPerGroup = slots,
  waitingPerKey = Number.POSITIVE_INFINITY,
  full = () => new Error('Too much work is waiting.'),
  now = () => performance.now(),
}: Options): FairQueue {
  const shares = new Map<string | number, Share>();
  /** Works of each group that run. */
  const groups = new Map<string, number>();
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
    const share = { running: 0, spentMs: levelMs, waiting: [], urgent: 0, group: undefined };
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
      if (share.waiting.length === 0 || share.running >= slotsPerKey || isFull(share.group)) continue;
      if (
        !next ||
        share.running < next.running ||
        (share.running === next.running && share.spentMs < next.spentMs)
      )
        next = share;
    }
    return next;
  }

  function isFull(group: string | undefined): boolean {
    return group !== undefined && (groups.get(group) ?? 0) >= slotsPerGroup;
  }

  /** Keys without work and without debt are forgotten. */
  function forget(): void {
    const isIdle = running === 0 && waiting === 0;
    for (const [key, share] of shares)
      if (isIdle || (share.running === 0 && share.waiting.length === 0 && share.spentMs <= levelMs))
        shares.delete(key);
  }

  return {
    async run(key, work, isUrgent = false, group?: string) {
      const share = shareOf(key);
      share.group = group;
      if (share.waiting.length >= waitingPerKey) throw full(key);
      const isBusy = running >= slots || share.running >= slotsPerKey || isFull(group);
      if (isBusy || share.waiting.length > 0) {
        waiting += 1;
        await new Promise<void>((resolve) => {
          const start = () => {
            if (isUrgent) share.urgent -= 1;
            take(share, group);
            resolve();
          };
          if (isUrgent) share.waiting.splice(share.urgent++, 0, start);
          else share.waiting.push(start);
        });
      } else take(share, group);
      const startedAt = now();
      try {
        return await work();
      } finally {
        running -= 1;
        share.running -= 1;
        leave(group);
        share.spentMs += now() - startedAt;
        startNext();
        forget();
      }
    },
    stats: () => ({ running, waiting }),
  };

  function take(share: Share, group: string | undefined): void {
    running += 1;
    share.running += 1;
    if (group !== undefined) groups.set(group, (groups.get(group) ?? 0) + 1);
  }

  function leave(group: string | undefined): void {
    if (group === undefined) return;
    const left = (groups.get(group) ?? 0) - 1;
    if (left > 0) groups.set(group, left);
    else groups.delete(group);
  }
}

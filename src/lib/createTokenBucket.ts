/** Lets `perSecond` requests through on average and `burst` at once, for each key by itself. */
export function createTokenBucket(limit: { perSecond: number; burst: number }, now: () => number) {
  const buckets = new Map<string | number, { level: number; at: number }>();

  function fill(key: string | number): { level: number; at: number } {
    const time = now();
    const bucket = buckets.get(key) ?? { level: limit.burst, at: time };
    bucket.level = Math.min(
      limit.burst,
      bucket.level + (Math.max(0, time - bucket.at) / 1000) * limit.perSecond,
    );
    bucket.at = time;
    return bucket;
  }

  const waitOf = (level: number) => (level < 1 ? (1 - level) / limit.perSecond : 0);

  return {
    /** Takes one token; `remaining` is what is left, `waitSeconds` is above 0 when nothing was. */
    take(key: string | number): { remaining: number; waitSeconds: number } {
      const bucket = fill(key);
      buckets.set(key, bucket);
      const waitSeconds = waitOf(bucket.level);
      if (waitSeconds > 0) return { remaining: 0, waitSeconds };
      bucket.level -= 1;
      return { remaining: Math.floor(bucket.level), waitSeconds: 0 };
    },
    /** Takes as many as something has cost, which may be more than there are. */
    spend(key: string | number, amount: number): void {
      const bucket = fill(key);
      buckets.set(key, bucket);
      bucket.level -= amount;
    },
    /** Tests without taking. */
    peek: (key: string | number) => ({ waitSeconds: waitOf(fill(key).level) }),
    /** Forgets the buckets that have filled up again; a full bucket and a missing one are the same. */
    sweep(): void {
      const time = now();
      const fullAfterMs = (level: number) => ((limit.burst - level) / limit.perSecond) * 1000;
      for (const [key, bucket] of buckets)
        if (time - bucket.at > fullAfterMs(bucket.level)) buckets.delete(key);
    },
  };
}

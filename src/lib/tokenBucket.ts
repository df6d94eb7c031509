/** Lets `perSecond` requests through on average and `burst` at once, for each key by itself. */
export function createTokenBucket(limit: { perSecond: number; burst: number }, now: () => number) {
  const buckets = new Map<string | number, { level: number; at: number }>();

  return {
    /** Takes one token; `remaining` is what is left, `waitSeconds` is above 0 when nothing was. */
    take(key: string | number): { remaining: number; waitSeconds: number } {
      const at = now();
      const bucket = buckets.get(key) ?? { level: limit.burst, at };
      bucket.level = Math.min(
        limit.burst,
        bucket.level + (Math.max(0, at - bucket.at) / 1000) * limit.perSecond,
      );
      bucket.at = at;
      buckets.set(key, bucket);
      if (bucket.level < 1) return { remaining: 0, waitSeconds: (1 - bucket.level) / limit.perSecond };
      bucket.level -= 1;
      return { remaining: Math.floor(bucket.level), waitSeconds: 0 };
    },
    /** Forgets the buckets that have filled up again; a full bucket and a missing one are the same. */
    sweep(): void {
      const fullAfterMs = (limit.burst / limit.perSecond) * 1000;
      const at = now();
      for (const [key, bucket] of buckets) if (at - bucket.at > fullAfterMs) buckets.delete(key);
    },
  };
}

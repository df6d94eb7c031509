type Limit<T> = { weigh: (value: T) => number; max: number };

/**
 * Caches loaded values for a moment, for the keys asked for last, without failures. Beyond a `limit` of their weight
 * the oldest go as well, but never the last loaded.
 */
export function createBriefCache<T>(
  ttlMs: number,
  maxEntries: number,
  now = () => performance.now(),
  limit?: Limit<T>,
) {
  const entries = new Map<string, { until: number; value: Promise<T>; weight: number }>();

  function shrink(): void {
    let weight = 0;
    for (const entry of entries.values()) weight += entry.weight;
    for (const [key, entry] of entries) {
      if (entries.size <= maxEntries && (!limit || weight <= limit.max || entries.size === 1)) break;
      entries.delete(key);
      weight -= entry.weight;
    }
  }

  return (key: string, load: () => Promise<T>): Promise<T> => {
    const cached = entries.get(key);
    if (cached && cached.until > now()) return cached.value;
    const value = load();
    const entry = { until: now() + ttlMs, value, weight: 0 };
    entries.delete(key);
    entries.set(key, entry);
    value.then(
      (loaded) => {
        entry.weight = limit?.weigh(loaded) ?? 0;
        shrink();
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    shrink();
    return value;
  };
}

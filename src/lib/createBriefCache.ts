/** Keeps what was loaded for a moment, for the few keys that were asked for last; a failure is not kept. */
export function createBriefCache<T>(ttlMs: number, maxEntries: number, now = () => performance.now()) {
  const entries = new Map<string, { until: number; value: Promise<T> }>();

  return (key: string, load: () => Promise<T>): Promise<T> => {
    const known = entries.get(key);
    if (known && known.until > now()) return known.value;
    const value = load();
    const entry = { until: now() + ttlMs, value };
    entries.delete(key);
    entries.set(key, entry);
    value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
    return value;
  };
}

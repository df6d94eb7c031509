const maxCached = 1000;

/** Caches which scripts of an owner did not end when they last ran; evicts the oldest owner when full. */
export function createLoopCache() {
  const owners = new Map<number, Set<string>>();
  let size = 0;

  return {
    has: (owner: number, source: string) => owners.get(owner)?.has(source) ?? false,
    add(owner: number, source: string): void {
      const sources = owners.get(owner) ?? new Set();
      owners.set(owner, sources);
      if (sources.has(source)) return;
      sources.add(source);
      size += 1;
      if (size > maxCached) {
        const [oldest] = owners;
        if (!oldest) return;
        const [oldestOwner, evicted] = oldest;
        size -= evicted.size;
        owners.delete(oldestOwner);
      }
    },
    remove(owner: number, source: string): void {
      const sources = owners.get(owner);
      if (!sources?.delete(source)) return;
      size -= 1;
      if (sources.size === 0) owners.delete(owner);
    },
  };
}

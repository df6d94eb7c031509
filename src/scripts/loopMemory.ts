const mostRemembered = 1000;

/** Remembers which scripts of an owner did not end when they last ran; the oldest are forgotten. */
export function createLoopMemory() {
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
      if (size > mostRemembered) {
        const [oldest, theirs] = owners.entries().next().value!;
        size -= theirs.size;
        owners.delete(oldest);
      }
    },
    ended(owner: number, source: string): void {
      const sources = owners.get(owner);
      if (!sources?.delete(source)) return;
      size -= 1;
      if (sources.size === 0) owners.delete(owner);
    },
  };
}

/** Bytes of answers that are held at once in the process, over all endpoints, until they are read. */
const maxHeldBytes = 192 * 1024 * 1024;

type Holding = { readonly owner: string; bytes: number; readonly drop: () => void };

const holdings = new Set<Holding>();
let held = 0;

/**
 * Counts the memory of arriving answers. When all together exceed the limit, the endpoint with the most loses its
 * largest, so an endless answer cannot fill the memory or delay the rest.
 */
export function holdAnswer(owner: string, drop: () => void): { add(bytes: number): void; release(): void } {
  const holding: Holding = { owner, bytes: 0, drop };
  holdings.add(holding);
  return {
    add(bytes) {
      if (!holdings.has(holding)) return;
      holding.bytes += bytes;
      held += bytes;
      if (held > maxHeldBytes) dropLargest();
    },
    release: () => forget(holding),
  };
}

function forget(holding: Holding): void {
  if (holdings.delete(holding)) held -= holding.bytes;
}

function dropLargest(): void {
  const byOwner = new Map<string, number>();
  for (const { owner, bytes } of holdings) byOwner.set(owner, (byOwner.get(owner) ?? 0) + bytes);
  const [largest] = [...holdings].sort(
    (a, b) => (byOwner.get(b.owner) ?? 0) - (byOwner.get(a.owner) ?? 0) || b.bytes - a.bytes,
  );
  if (!largest) return;
  forget(largest);
  largest.drop();
}

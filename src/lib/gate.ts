export type Gate = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Lets at most `limit` works of one key run at once; the others wait their turn, and other keys never wait for them. */
export function createGate(limit: number): Gate {
  const lines = new Map<string, { running: number; waiting: (() => void)[] }>();
  return async (key, work) => {
    const line = lines.get(key) ?? { running: 0, waiting: [] };
    lines.set(key, line);
    if (line.running >= limit) await new Promise<void>((resolve) => line.waiting.push(resolve));
    else line.running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is given up.
      const next = line.waiting.shift();
      if (next) next();
      else {
        line.running -= 1;
        if (line.running === 0) lines.delete(key);
      }
    }
  };
}

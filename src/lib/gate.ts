export type Gate = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Lets at most `limit` works of one key run at once; the others wait their turn, and other keys never wait for them.
 * With a `line`, whoever finds that many waiting already is turned away.
 */
export function createGate(limit: number, line = { most: Infinity, full: () => new Error('Full.') }): Gate {
  const lines = new Map<string, { running: number; waiting: (() => void)[] }>();
  return async (key, work) => {
    const here = lines.get(key) ?? { running: 0, waiting: [] };
    if (here.waiting.length >= line.most) throw line.full();
    lines.set(key, here);
    if (here.running >= limit) await new Promise<void>((resolve) => here.waiting.push(resolve));
    else here.running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is given up.
      const next = here.waiting.shift();
      if (next) next();
      else {
        here.running -= 1;
        if (here.running === 0) lines.delete(key);
      }
    }
  };
}

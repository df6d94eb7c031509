import { yieldToEventLoop } from '../../lib/eventLoop.ts';

/** Time for which the rules of one tenant may hold a transaction, in which alerts of other tenants may wait. */
export const ruleBudgetMs = 100;

/** Awaited between pieces of the work. */
export type Pause = () => Promise<void>;

class Overspent extends Error {
  override readonly name = 'Overspent';
}

/** Limits the time that the rules of each tenant take. The time of others between the pieces does not count. */
export function createRuleBudget(limitMs: number) {
  const spent = new Map<number, number>();
  return {
    /** The result; undefined where the time of the tenant is used up before or meanwhile. `work` changes nothing by itself. */
    async run<T>(tenantId: number, work: (pause: Pause) => Promise<T>): Promise<{ result: T } | undefined> {
      const before = spent.get(tenantId) ?? 0;
      if (before > limitMs) return undefined;
      const startedAt = performance.now();
      let paused = 0;
      const used = () => before + performance.now() - startedAt - paused;
      const pause = async () => {
        if (used() > limitMs) throw new Overspent();
        const pausedAt = performance.now();
        await yieldToEventLoop();
        paused += performance.now() - pausedAt;
      };
      try {
        return { result: await work(pause) };
      } catch (error) {
        if (error instanceof Overspent) return undefined;
        throw error;
      } finally {
        spent.set(tenantId, used());
      }
    },
  };
}

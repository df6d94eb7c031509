import { createFairQueue } from '../../lib/createFairQueue.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import type { Call } from '../call.ts';
import type { Lookups } from '../lookups.ts';

const soonMs = 1000;

/** Undefined when no node responds soon. */
export const settleSoon: (call: Pick<Call, 'lookups'>) => Lookups =
  ({ lookups }) =>
  (read) =>
    lookups ? lookups(read) : settleWithin(soonMs, quiet(read), () => undefined);

/** Of a batch: a few at once, and all of them in the time that a single request would wait. */
export function createLookups(): Lookups {
  const endsAt = performance.now() + soonMs;
  const queue = createFairQueue({ slots: 8 });
  return (read) =>
    queue.run('', async () => {
      const leftMs = endsAt - performance.now();
      return leftMs <= 0 ? undefined : settleWithin(leftMs, quiet(read), () => undefined);
    });
}

function quiet<T>(read: () => Promise<T>): Promise<T | undefined> {
  return read().catch(() => undefined);
}

import { settleWithin } from '../../lib/withTimeLimit.ts';

const soonMs = 1000;

/** Undefined when no node responds soon. */
export function settleSoon<T>(reading: Promise<T>): Promise<T | undefined> {
  return settleWithin(
    soonMs,
    reading.catch(() => undefined),
    () => undefined,
  );
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Time before each attempt, counted from the one before it. */
export const delays = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** Receivers that were down together are not all called again together. */
const jitter = 0.2;
/** No receiver is left alone longer than this. */
export const longestWait = 24 * hour;

/**
 * When to try again after the attempt number `step` (from 0) failed at `now`, or undefined once it was the last. A receiver
 * may ask for more time, up to a day. `chance` is between 0 and 1.
 */
export function nextAttempt(step: number, now: number, chance: number, retryAfterMs = 0): number | undefined {
  const delay = delays[step + 1];
  if (delay === undefined) return undefined;
  const spread = delay * (1 + jitter * (2 * chance - 1));
  return now + Math.round(Math.max(spread, Math.min(retryAfterMs, longestWait)));
}

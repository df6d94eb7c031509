const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Delay before each attempt, counted from the previous one; after the last one the delivery is dead. */
export const retryDelaysMs = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const;

/** Spreads the retries to receivers that were down together. */
const jitter = 0.2;
/** A receiver's Retry-After counts up to this time. */
export const maxRetryAfterMs = 24 * hourMs;

/**
 * Time of the retry after attempt `step` (from 0) failed at `now`; undefined after the last. A receiver may ask for
 * more time, up to `maxRetryAfterMs`. `chance` is between 0 and 1.
 */
export function nextAttempt(step: number, now: number, chance: number, retryAfterMs = 0): number | undefined {
  const delay = retryDelaysMs[step + 1];
  if (delay === undefined) return undefined;
  const spread = delay * (1 + jitter * (2 * chance - 1));
  return now + Math.round(Math.max(spread, Math.min(retryAfterMs, maxRetryAfterMs)));
}

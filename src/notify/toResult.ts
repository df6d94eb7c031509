import type { Claimed } from '../store/destinations/claimDeliveries.ts';
import { longestWait, nextAttempt } from './retrySchedule.ts';
import type { SendOutcome } from './sender.ts';
import type { Result } from './settler.ts';

type Attempt = { at: number; durationMs: number; now: number; chance: number };

/** For so long a receiver may say how fast it wants to be told; a message that is older is on the schedule again. */
const patienceMs = 5 * 24 * 3_600_000;

/** What an attempt means for the delivery and its destination. */
export function toResult(delivery: Claimed, outcome: SendOutcome, attempt: Attempt): Result {
  const { tenantId, sequence: id, destinationId, step } = delivery;
  const { at, durationMs, now, chance } = attempt;
  const place = { tenantId, id, destinationId, at, durationMs, status: outcome.status ?? null };
  if (outcome.ok)
    return {
      ...place,
      isDelivered: true,
      isStep: true,
      error: null,
      nextAttemptAt: null,
      isGone: false,
      pausedUntil: null,
    };
  const { retryAfterMs } = outcome;
  // A receiver that says when to come back has not refused the message.
  const isTooFast =
    outcome.status === 429 && retryAfterMs !== undefined && now - delivery.timestamp < patienceMs;
  const from = isTooFast ? Math.max(step - 1, 0) : step;
  const next = outcome.permanent ? undefined : nextAttempt(from, now, chance, retryAfterMs);
  return {
    ...place,
    isDelivered: false,
    isStep: !isTooFast,
    error: outcome.error.slice(0, 500),
    nextAttemptAt: next ?? null,
    isGone: outcome.gone ?? false,
    pausedUntil: retryAfterMs === undefined ? null : now + Math.min(retryAfterMs, longestWait),
  };
}

import { severityIn } from '../destinations/texts/readData.ts';
import { severityOf } from '../model/alert.ts';
import type { SendOutcome } from '../model/notification.ts';
import type { ClaimedDelivery } from '../store/destinations/claimDeliveries.ts';
import type { AttemptResult } from './createSettler.ts';
import { isGrowth } from './planBatches.ts';
import { maxRetryAfterMs, nextAttempt } from './retrySchedule.ts';

type Attempt = { at: number; durationMs: number; now: number; chance: number };

/** For this long a 429 with Retry-After does not count as a step of the schedule; for older messages it does. */
const maxRateLimitedMs = 5 * 24 * 3_600_000;

/** The result of an attempt for the delivery and its destination. */
export function toAttemptResult(
  delivery: ClaimedDelivery,
  outcome: SendOutcome,
  attempt: Attempt,
): AttemptResult {
  const { tenantId, sequence: id, destinationId, step } = delivery;
  const { at, durationMs, now, chance } = attempt;
  const common = { tenantId, id, destinationId, at, durationMs, status: outcome.status ?? null };
  if (outcome.ok)
    return {
      ...common,
      isDelivered: true,
      isStep: true,
      error: null,
      nextAttemptAt: null,
      isGone: false,
      pausedUntil: null,
      ...sentAbout(delivery, outcome.ref),
    };
  const { retryAfterMs } = outcome;
  // A receiver that asks to wait has not refused the message.
  const isTooFast =
    outcome.status === 429 && retryAfterMs !== undefined && now - delivery.timestamp < maxRateLimitedMs;
  const from = isTooFast ? Math.max(step - 1, 0) : step;
  const next = outcome.permanent ? undefined : nextAttempt(from, now, chance, retryAfterMs);
  return {
    ...common,
    isDelivered: false,
    isStep: !isTooFast,
    error: outcome.error.slice(0, 500),
    nextAttemptAt: next ?? null,
    isGone: outcome.gone ?? false,
    pausedUntil: retryAfterMs === undefined ? null : now + Math.min(retryAfterMs, maxRetryAfterMs),
  };
}

/** Only messages about alerts can grow: that they are resolved or retracted is said once. */
function sentAbout({ incidentUid, type, data }: ClaimedDelivery, ref: string | undefined) {
  const severity = severityIn(data);
  return incidentUid && ref !== undefined && severity && isGrowth(type)
    ? { sent: { incidentUid, ref, numericSeverity: severityOf[severity] } }
    : {};
}

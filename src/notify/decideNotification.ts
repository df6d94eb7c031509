import { isShadow, type Severity, severityOf } from '../model/alert.ts';
import { isWithin } from '../query/timeSets/isWithin.ts';
import type { TimeSet } from '../query/timeSets/timeSet.ts';

/** Members of an alert on which the decision depends by itself. */
export type NotifiableAlert = {
  severity: Severity;
  tags: readonly string[];
  suppressed?: boolean | undefined;
  backfilled?: boolean | undefined;
};

/** A way to a destination: a binding, a default tag, or a rule of the destination. */
export type Way = { destinationId: number; minSeverity: Severity | null; query: string | null };

/** A silence as the decision needs it. */
export type SilenceRule = {
  id: number;
  from: number;
  to: number;
  includeCritical: boolean;
  timeSet: TimeSet | undefined;
};

type Circumstances<W extends Way, S extends SilenceRule> = {
  recipients: readonly W[];
  /** Silences of the tenant whose queries may find the alert. */
  silences: readonly S[];
  now: number;
  /** True if the query of a way finds the alert. */
  passes: (query: string) => Promise<boolean>;
  /** True if the query of the silence finds the alert. */
  isFound: (silence: S) => Promise<boolean>;
};

/** Why no one is notified of an alert. */
export type Withheld = 'suppressed' | 'backfilled' | 'shadow' | 'silenced' | 'no-destination' | 'filtered';

export type NotificationDecision<W extends Way> = {
  /** Null if someone is notified. */
  code: Withheld | null;
  /** The silences that hold it; empty unless it is silenced. */
  silenceIds: number[];
  /** One way to every destination that is notified. */
  recipients: W[];
};

/**
 * Decides who is notified of an alert. The answer depends on the arguments alone: the matchers wait only to let others work. A
 * silence is asked before any recipient, so that the answer does not depend on who would have been notified.
 */
export async function decideNotification<W extends Way, S extends SilenceRule>(
  alert: NotifiableAlert,
  { recipients, silences, now, passes, isFound }: Circumstances<W, S>,
): Promise<NotificationDecision<W>> {
  const code = withheldByItself(alert);
  if (code) return { code, silenceIds: [], recipients: [] };
  const silenceIds: number[] = [];
  for (const silence of silences)
    if (isInForce(silence, alert, now) && (await isFound(silence))) silenceIds.push(silence.id);
  if (silenceIds.length > 0) return { code: 'silenced', silenceIds, recipients: [] };
  if (recipients.length === 0) return { code: 'no-destination', silenceIds, recipients: [] };
  const chosen = new Map<number, W>();
  for (const way of recipients) {
    // An alert comes once, however many ways lead to the destination.
    if (chosen.has(way.destinationId) || !isSevereEnough(way, alert)) continue;
    if (way.query === null || (await passes(way.query))) chosen.set(way.destinationId, way);
  }
  return { code: chosen.size > 0 ? null : 'filtered', silenceIds, recipients: [...chosen.values()] };
}

/** The reason that lies in the alert, whatever anyone has set up. */
export function withheldByItself(alert: NotifiableAlert): 'suppressed' | 'backfilled' | 'shadow' | null {
  if (alert.suppressed) return 'suppressed';
  if (alert.backfilled) return 'backfilled';
  return isShadow(alert) ? 'shadow' : null;
}

function isInForce(
  { from, to, includeCritical, timeSet }: SilenceRule,
  { severity }: NotifiableAlert,
  now: number,
) {
  if (now < from || now >= to) return false;
  if (severity === 'CRITICAL' && !includeCritical) return false;
  return timeSet === undefined || isWithin(timeSet, now);
}

function isSevereEnough({ minSeverity }: Way, { severity }: NotifiableAlert): boolean {
  return minSeverity === null || severityOf[severity] >= severityOf[minSeverity];
}

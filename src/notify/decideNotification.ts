import { isShadow, type Severity, severityOf } from '../model/alert.ts';
import { isWithin } from '../query/timeSets/isWithin.ts';
import type { TimeSet } from '../query/timeSets/timeSet.ts';
import {
  type RouteHold,
  type RouteStep,
  type Routing,
  type TakenRoute,
  takeRoutes,
} from './routes/takeRoutes.ts';
import type { RouteRule } from './rules/routeRule.ts';

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

/** An inhibition as the decision needs it. */
export type InhibitionRule = { id: number; includeCritical: boolean };

type Circumstances<
  W extends Way,
  S extends SilenceRule,
  R extends RouteRule = RouteRule,
  I extends InhibitionRule = InhibitionRule,
> = {
  recipients: readonly W[];
  /** Silences of the tenant whose queries may find the alert. */
  silences: readonly S[];
  /** Inhibitions with an open incident on the contract of the alert. */
  inhibitions?: readonly I[];
  /** The tenant's routes decide instead of the recipients, where they are on. */
  routing?: Routing<R> | undefined;
  now: number;
  /** True if the query of a way finds the alert. */
  passes: (query: string) => Promise<boolean>;
  /** True if the query of the silence finds the alert. */
  isFound: (silence: S) => Promise<boolean>;
  /** True if the inhibition holds such alerts, and the alert is none that begins it. */
  isHeldBy?: (inhibition: I) => Promise<boolean>;
  /** Hears of each route that was asked. */
  note?: (route: R, step: RouteStep) => void;
};

/** Reason for which no one is notified of an alert. */
export type Withheld =
  | 'suppressed'
  | 'backfilled'
  | 'shadow'
  | 'silenced'
  | 'inhibited'
  | 'filtered'
  | RouteHold;

export type NotificationDecision<W extends Way, R extends RouteRule = RouteRule> = {
  /** Null if someone is notified. */
  code: Withheld | null;
  /** The silences that hold it; empty unless it is silenced. */
  silenceIds: number[];
  /** The inhibitions that hold it. */
  inhibitionIds: number[];
  /** One way to every destination that is notified; none with routes. */
  recipients: W[];
  /** The routes that took it. Whom they name is notified only if the code is null. */
  taken: TakenRoute<R>[];
};

/**
 * Decides who is notified of an alert, by the arguments alone; matchers wait only to let others work. Silences come first, so that
 * the answer does not depend on the recipients.
 */
export async function decideNotification<
  W extends Way,
  S extends SilenceRule,
  R extends RouteRule = RouteRule,
  I extends InhibitionRule = InhibitionRule,
>(alert: NotifiableAlert, circumstances: Circumstances<W, S, R, I>): Promise<NotificationDecision<W, R>> {
  const { recipients, silences, inhibitions = [], routing, now, passes, isFound, isHeldBy } = circumstances;
  const nothing = { silenceIds: [], inhibitionIds: [], recipients: [], taken: [] };
  const code = withheldByItself(alert);
  if (code) return { ...nothing, code };
  const silenceIds: number[] = [];
  for (const silence of silences)
    if (isInForce(silence, alert, now) && (await isFound(silence))) silenceIds.push(silence.id);
  const inhibitionIds: number[] = [];
  for (const inhibition of inhibitions)
    if (mayHold(inhibition, alert) && (await isHeldBy?.(inhibition))) inhibitionIds.push(inhibition.id);
  const taken = routing ? await takeRoutes(alert.severity, routing, now, circumstances.note) : [];
  const held = { ...nothing, silenceIds, inhibitionIds, taken };
  if (silenceIds.length > 0) return { ...held, code: 'silenced' };
  if (inhibitionIds.length > 0) return { ...held, code: 'inhibited' };
  if (routing) return { ...held, code: holdOfAll(taken) };
  if (recipients.length === 0) return { ...held, code: 'no-destination' };
  const chosen = new Map<number, W>();
  for (const way of recipients) {
    // An alert comes once, however many ways lead to the destination.
    if (chosen.has(way.destinationId) || !isSevereEnough(way, alert)) continue;
    if (way.query === null || (await passes(way.query))) chosen.set(way.destinationId, way);
  }
  return { ...held, code: chosen.size > 0 ? null : 'filtered', recipients: [...chosen.values()] };
}

/** The reason that lies in the alert, whatever anyone has set up. */
export function withheldByItself(alert: NotifiableAlert): 'suppressed' | 'backfilled' | 'shadow' | null {
  if (alert.suppressed) return 'suppressed';
  if (alert.backfilled) return 'backfilled';
  return isShadow(alert) ? 'shadow' : null;
}

/** Null if a route notifies anyone, else the reason that ends soonest. */
function holdOfAll(taken: readonly TakenRoute<RouteRule>[]): RouteHold | null {
  const isNotified = ({ route, held, destinationIds }: TakenRoute<RouteRule>) =>
    destinationIds.length > 0 || (held === null && route.escalationChainId != null);
  if (taken.some(isNotified)) return null;
  const reasons = new Set(taken.map(({ held }) => held));
  return (['muted', 'below-floor'] as const).find((reason) => reasons.has(reason)) ?? 'no-destination';
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

function mayHold({ includeCritical }: InhibitionRule, { severity }: NotifiableAlert): boolean {
  return severity !== 'CRITICAL' || includeCritical;
}

function isSevereEnough({ minSeverity }: Way, { severity }: NotifiableAlert): boolean {
  return minSeverity === null || severityOf[severity] >= severityOf[minSeverity];
}

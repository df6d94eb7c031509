import { yieldToEventLoop } from '../lib/eventLoop.ts';
import type { AlertFilters } from './createAlertFilters.ts';
import {
  decideNotification,
  type NotifiableAlert,
  type NotificationDecision,
  type Way,
} from './decideNotification.ts';
import type { RouteStep } from './routes/takeRoutes.ts';
import type { CompiledRoute } from './rules/compileRoutes.ts';
import type { Guarded, GuardIndex } from './rules/createGuardIndex.ts';
import type { InhibitionEntry, Rules } from './rules/createRules.ts';

/** Facts of a tenant that decide its notifications. */
export type Known = {
  rules: Rules | undefined;
  /** The destinations that can be reached; undefined where routes are off. */
  destinations: ReadonlyMap<number, unknown> | undefined;
  /** The inhibitions with an open incident, as `<contract> <inhibition>`. */
  inhibiting: ReadonlySet<string>;
  now: number;
  /** Awaited between pieces of the work; what it throws ends the decision. */
  pause?: () => Promise<void>;
  /** No rule that takes time is asked: nothing holds the alert, and the root route or every way notifies of it. */
  isLate?: boolean;
};

export type DecidedAlert = NotifiableAlert & { contractId: number };

/** Decides an alert by the rules of its tenant. `document`: the alert as matchers read it. `ways`: what is bound to its source. */
export async function decideByRules<W extends Way>(
  alert: DecidedAlert,
  document: object,
  ways: readonly W[],
  { rules, destinations, inhibiting, now, pause = yieldToEventLoop, isLate = false }: Known,
  { passes, subjectOf }: AlertFilters,
  note?: (route: CompiledRoute, step: RouteStep) => void,
): Promise<NotificationDecision<W, CompiledRoute>> {
  const finds = (query: { matcherAt: CompiledRoute['matcherAt'] }) =>
    query.matcherAt(now)(subjectOf(document), pause);
  const routes = destinations && rules?.routes;
  const candidatesOf = <T extends Guarded>(index: GuardIndex<T> | undefined) =>
    index && index.size > 0 && !isLate ? index.candidatesFor(subjectOf(document), pause) : [];
  // A trial reports each route, so it also asks routes that cannot find the alert.
  const candidates = isLate
    ? undefined
    : routes && (note ? routes.children : await routes.candidatesFor(subjectOf(document), pause));
  return decideNotification(alert, {
    recipients: ways,
    silences: await candidatesOf(rules?.silences),
    inhibitions: inhibitionsAt(await candidatesOf(rules?.targets), alert, inhibiting),
    routing: routes && {
      root: routes.root,
      below: (route) => candidates?.get(route) ?? [],
      takes: finds,
      canReach: (id) => destinations.has(id),
    },
    now,
    passes: async (query) => isLate || passes(query, document, pause),
    isFound: finds,
    isHeldBy: async ({ source, target }) => (await finds(target)) && !(await finds(source)),
    ...(note ? { note } : {}),
  });
}

function inhibitionsAt(
  entries: readonly InhibitionEntry[],
  { contractId }: DecidedAlert,
  inhibiting: ReadonlySet<string>,
) {
  return entries.flatMap(({ inhibition }) =>
    inhibiting.has(`${contractId} ${inhibition.id}`) ? [inhibition] : [],
  );
}

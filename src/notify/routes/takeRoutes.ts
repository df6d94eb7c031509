import { type Severity, severityOf } from '../../model/alert.ts';
import { isWithin } from '../../query/timeSets/isWithin.ts';
import type { RouteRule } from '../rules/routeRule.ts';

export type Routing<R extends RouteRule> = {
  root: R;
  /** The routes below a route that may take the alert, in their order. */
  below: (route: R) => readonly R[];
  /** True if the query of the route finds the alert. */
  takes: (route: R) => Promise<boolean>;
  /** True if messages to the destination can arrive. */
  canReach: (destinationId: number) => boolean;
};

/** Reason for which a route that took an alert notifies no one. */
export type RouteHold = 'muted' | 'below-floor' | 'no-destination';

/** A route that took an alert. */
export type TakenRoute<R extends RouteRule> = {
  route: R;
  held: RouteHold | null;
  /** Recipients of the alert; none while it is held. */
  reachable: number[];
  /** Those among them that no earlier route notifies. */
  destinationIds: number[];
};

/** Result of offering an alert to a route. */
export type RouteStep = 'taken' | 'passed-down' | 'inactive' | 'not-found';

/**
 * Offers an alert to the tree: the first route that finds it takes it, or one below that; otherwise the route above.
 * `note` gets each route that was asked.
 */
export async function takeRoutes<R extends RouteRule>(
  severity: Severity,
  { root, below, takes, canReach }: Routing<R>,
  now: number,
  note: (route: R, step: RouteStep) => void = () => undefined,
): Promise<TakenRoute<R>[]> {
  const taken: TakenRoute<R>[] = [];
  const notified = new Set<number>();
  const take = (route: R) => {
    note(route, 'taken');
    const callsByChain = route.escalationChainId != null;
    // A route that only calls by a chain leaves nothing to the destinations above it.
    const reachable = callsByChain && route.destinationIds.length === 0 ? [] : reachableOf(route, canReach);
    const isDeaf = reachable.length === 0 && !callsByChain;
    const held = holdOf(route, severity, now) ?? (isDeaf ? 'no-destination' : null);
    const destinationIds = held ? [] : reachable.filter((id) => !notified.has(id));
    for (const id of destinationIds) notified.add(id);
    taken.push({ route, held, reachable: held ? [] : reachable, destinationIds });
  };
  const offer = async (route: R): Promise<void> => {
    let isTaken = false;
    for (const next of below(route)) {
      if (next.activeTimeSet && !isWithin(next.activeTimeSet, now)) {
        note(next, 'inactive');
        continue;
      }
      if (!(await takes(next))) {
        note(next, 'not-found');
        continue;
      }
      if (!isTaken) note(route, 'passed-down');
      isTaken = true;
      await offer(next);
      if (!next.goesOn) break;
    }
    if (!isTaken) take(route);
  };
  await offer(root);
  return taken;
}

/** Of its own destinations, else of those of the nearest route above that can be reached. */
function reachableOf(route: RouteRule, canReach: (destinationId: number) => boolean): number[] {
  for (let at: RouteRule | undefined = route; at; at = at.parent) {
    const reachable = [...new Set(at.destinationIds)].filter(canReach);
    if (reachable.length > 0) return reachable;
  }
  return [];
}

function holdOf(
  { minSeverity, muteTimeSet }: RouteRule,
  severity: Severity,
  now: number,
): 'muted' | 'below-floor' | null {
  if (minSeverity !== null && severityOf[severity] < severityOf[minSeverity]) return 'below-floor';
  if (muteTimeSet && severity !== 'CRITICAL' && isWithin(muteTimeSet, now)) return 'muted';
  return null;
}

import { type Severity, severityOf } from '../../model/alert.ts';
import type { Db } from '../../store/db/db.ts';
import {
  insertGroupAlerts,
  lockGroups,
  type RouteGroup,
  type RouteGroupKey,
  saveGroups,
} from '../../store/destinations/routeGroups.ts';
import type { CompiledRoute } from '../rules/compileRoutes.ts';
import { type GroupedAlert, groupKeyOf } from './groupKeyOf.ts';
import { planMessage } from './planMessage.ts';

/** An alert that a route took. `isSent`: it notifies someone. `repeats`: it is repeated where the route does so. */
export type RoutedAlert = {
  route: CompiledRoute;
  alert: GroupedAlert & { tenantId: number; severity: Severity; timestamp: number };
  isSent: boolean;
  repeats: boolean;
};

/**
 * Decides when alerts that routes took are sent, and plans their repeats, with the groups locked until the transaction ends. Returns
 * the due time of each, undefined where it is at once.
 */
export async function planGroups(
  tx: Db,
  routed: readonly RoutedAlert[],
  now: number,
): Promise<(item: RoutedAlert) => number | undefined> {
  const grouped = routed.filter((item) => (item.isSent && isTimed(item.route)) || isRepeated(item));
  const aloneAt = ({ route: { groupBy, waitSeconds } }: RoutedAlert) =>
    groupBy === 'NONE' && waitSeconds > 0 ? now + waitSeconds * 1000 : undefined;
  if (grouped.length === 0) return aloneAt;
  const groups = new Map(
    (await lockGroups(tx, grouped.map(keyOf), now)).map((group) => [textOf(group), group]),
  );
  const due = new Map<RoutedAlert, number>();
  for (const item of grouped) {
    const { route, isSent } = item;
    const text = textOf(keyOf(item));
    const group = groups.get(text);
    if (!group) throw new Error(`The group ${text} is gone although it is locked.`);
    const planned = isSent ? addMessage(group, item, now) : group;
    if (isSent) due.set(item, planned.sentAt);
    groups.set(
      text,
      isRepeated(item) ? planRepeat(planned, route, isSent ? planned.sentAt : now, now) : planned,
    );
  }
  await saveGroups(tx, [...groups.values()]);
  await insertGroupAlerts(
    tx,
    grouped.filter(isRepeated).map((item) => {
      const { uid, timestamp, severity } = item.alert;
      return { ...keyOf(item), uid, timestamp, numericSeverity: severityOf[severity] };
    }),
  );
  return (item) => due.get(item) ?? aloneAt(item);
}

/** True if the due times of its alerts depend on what it has sent. */
function isTimed({ groupBy, waitSeconds, intervalSeconds }: CompiledRoute): boolean {
  if (groupBy === 'INCIDENT') return waitSeconds > 0 || intervalSeconds !== null;
  return groupBy !== 'NONE';
}

function isRepeated({ route, repeats }: RoutedAlert): boolean {
  return repeats && route.repeatSeconds !== null;
}

function keyOf({ route, alert }: Pick<RoutedAlert, 'route' | 'alert'>): RouteGroupKey {
  return { tenantId: alert.tenantId, routeId: route.id, key: groupKeyOf(route.groupBy, alert) };
}

export function textOf({ tenantId, routeId, key }: RouteGroupKey): string {
  return `${tenantId} ${routeId} ${key}`;
}

function addMessage(group: RouteGroup, { route, alert }: RoutedAlert, now: number): RouteGroup {
  const severity = severityOf[alert.severity];
  const { dueAt, isNew } = planMessage(route, group, severity, now);
  return {
    ...group,
    ...(isNew ? { beganAt: now, repeats: 0 } : {}),
    sentAt: dueAt,
    numericSeverity: isNew ? severity : Math.max(group.numericSeverity, severity),
  };
}

/** A repeat that is planned already stays, because no new alert may put it off. */
function planRepeat(
  group: RouteGroup,
  { repeatSeconds }: CompiledRoute,
  from: number,
  now: number,
): RouteGroup {
  const next = from + (repeatSeconds ?? 0) * 1000;
  const isEarlier = group.repeatAt !== null && group.repeatAt <= next;
  return isEarlier ? group : { ...group, repeatAt: next, plannedAt: now };
}

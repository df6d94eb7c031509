import { destinationKinds, isGrouped } from '../../destinations/destinationKinds.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Severity } from '../../model/alert.ts';
import type { AlertLinks } from '../../model/notification.ts';
import type { Db, Store } from '../../store/db/db.ts';
import { type DecisionRules, findDecisionRules } from '../../store/destinations/decisionRules.ts';
import { type AlertDocument, findAlertDocuments } from '../../store/destinations/findAlertDocuments.ts';
import { findInhibiting } from '../../store/destinations/inhibitions.ts';
import { insertDeliveries, type NewMessage } from '../../store/destinations/insertDeliveries.ts';
import {
  type AlertState,
  claimDueGroups,
  clearGroups,
  deleteGroupAlerts,
  findAlertStates,
  findDueTenants,
  findGroupAlerts,
  type GroupAlert,
  insertGroupAlerts,
  lockAlerts,
  lockGroups,
  type RouteGroup,
  replanGroups,
  saveGroups,
} from '../../store/destinations/routeGroups.ts';
import { createAlertFilters } from '../createAlertFilters.ts';
import { decideByRules } from '../decideByRules.ts';
import type { Withheld } from '../decideNotification.ts';
import type { CompiledRoute } from '../rules/compileRoutes.ts';
import type { createRules } from '../rules/createRules.ts';
import { type GroupedAlert, groupKeyOf } from './groupKeyOf.ts';
import { textOf } from './planGroups.ts';
import type { TakenRoute } from './takeRoutes.ts';

export type Repeating = {
  store: Store;
  findRules: ReturnType<typeof createRules>;
  links: AlertLinks;
  now: () => number;
};

/** Groups of one tenant in one transaction, so that none delays the groups of another for long. */
const perTurn = 50;
/** While all its alerts are acknowledged, a group is looked at this often. */
const restMs = 3_600_000;

/** Repeats what is due, tenant by tenant in turns; returns how many groups it settled. */
export async function repeatDue(options: Repeating): Promise<number> {
  const { store, now } = options;
  await replanGroups(store, now());
  let settled = 0;
  const faults: unknown[] = [];
  for (let tenants = await findDueTenants(store, now()); tenants.length > 0; ) {
    const more: number[] = [];
    for (const tenantId of tenants) {
      // A tenant whose alerts cannot be read delays no other.
      const count = await store
        .transaction((tx) => repeatOfTenant(tx, tenantId, options))
        .catch((error: unknown) => {
          faults.push(error);
          return 0;
        });
      settled += count;
      if (count === perTurn) more.push(tenantId);
    }
    tenants = more;
  }
  if (faults.length > 0) throw faults[0];
  return settled;
}

/**
 * Decides each due group again by its worst open alert, as if that were raised now. Returns how many are settled: one whose alert
 * someone changes at this moment is left for the next time.
 */
async function repeatOfTenant(
  tx: Db,
  tenantId: number,
  { findRules, links, now }: Repeating,
): Promise<number> {
  const at = now();
  const claimed = await claimDueGroups(tx, tenantId, at, perTurn);
  if (claimed.length === 0) return 0;
  const versions = await findDecisionRules(tx, [tenantId]);
  const rules = (await findRules(tx, versions, at)).get(tenantId);
  const destinations = versions.get(tenantId)?.destinations;
  const { open, resting } = await sortGroups(tx, claimed, at);
  const locked = new Map(
    (
      await lockAlerts(
        tx,
        open.map(({ alert }) => alert),
      )
    ).map((state) => [state.uid, state]),
  );
  const held = open.filter(({ alert }) => isPending(locked.get(alert.uid), at));
  const documents = new Map(
    (held.length > 0
      ? await findAlertDocuments(
          tx,
          held.map(({ alert }) => alert),
        )
      : []
    ).map((document) => [document.uid, document]),
  );
  const inhibiting = await findInhibiting(tx, rules && rules.targets.size > 0 ? [...documents.values()] : []);
  const filters = createAlertFilters(at);
  const settled = new Map<string, RouteGroup>(resting.map((group) => [textOf(group), group]));
  const messages: NewMessage[] = [];
  const moved: Moved[] = [];
  const ended: RouteGroup[] = resting.filter(({ repeatAt }) => repeatAt === null);
  for (const { group, alert, pending } of held) {
    const document = documents.get(alert.uid);
    if (!document) continue;
    const decision = await decideByRules(
      toDecided(document),
      document,
      [],
      { rules, destinations, inhibiting, now: at },
      filters,
    );
    const own = decision.taken.find(({ route }) => route.id === group.routeId);
    if (!own || own.route.repeatSeconds === null || own.held === 'below-floor') {
      const others = decision.taken.filter(
        ({ route, held }) => route.repeatSeconds !== null && held !== 'below-floor',
      );
      if (!own && others.length > 0) {
        // The next alert of the group is decided in the next turn.
        moved.push({ from: group, alert, document, to: others });
        settled.set(textOf(group), group);
      } else {
        const over = { ...group, repeatAt: null };
        settled.set(textOf(group), over);
        ended.push(over);
      }
      continue;
    }
    const isSent = own.reachable.length > 0 && !isHeld(decision.code);
    const next = { ...group, repeatAt: at + own.route.repeatSeconds * 1000, plannedAt: at };
    settled.set(
      textOf(group),
      isSent ? { ...next, sentAt: Math.max(at, group.sentAt), repeats: group.repeats + 1 } : next,
    );
    if (isSent) messages.push(toMessage(group, own, document, { pending, links, types: destinations }));
  }
  await saveGroups(tx, [...settled.values()]);
  await clearGroups(tx, ended);
  await moveAlerts(tx, moved, at);
  await insertDeliveries(tx, messages, at);
  return settled.size;
}

type Due = { group: RouteGroup; alert: GroupAlert; pending: number };

/** `open`: the groups with an alert that waits for someone, and the worst of these. `resting`: the others, with their next look. */
async function sortGroups(
  tx: Db,
  claimed: readonly RouteGroup[],
  now: number,
): Promise<{ open: Due[]; resting: RouteGroup[] }> {
  const alerts = await findGroupAlerts(tx, claimed);
  const states = new Map((await findAlertStates(tx, alerts)).map((state) => [state.uid, state]));
  const isClosed = ({ uid }: GroupAlert) => states.get(uid)?.isClosed ?? true;
  await deleteGroupAlerts(tx, alerts.filter(isClosed));
  const ofGroup = groupBy(alerts, textOf);
  const open: Due[] = [];
  const resting: RouteGroup[] = [];
  for (const group of claimed) {
    const standing = (ofGroup.get(textOf(group)) ?? []).filter((alert) => !isClosed(alert));
    const pending = standing.filter(({ uid }) => isPending(states.get(uid), now));
    const [alert] = pending.toSorted(worstFirst);
    if (alert) open.push({ group, alert, pending: pending.length });
    else if (standing.length === 0) resting.push({ ...group, repeatAt: null });
    else {
      const ends = standing.flatMap(({ uid }) => states.get(uid)?.acknowledgedUntil ?? []);
      resting.push({ ...group, repeatAt: Math.min(now + restMs, ...ends), plannedAt: now });
    }
  }
  return { open, resting };
}

function worstFirst(left: GroupAlert, right: GroupAlert): number {
  return (
    right.numericSeverity - left.numericSeverity ||
    left.timestamp - right.timestamp ||
    (left.uid < right.uid ? -1 : 1)
  );
}

/** True for an alert that is open and that no one has acknowledged, or whose snooze has ended. */
function isPending(state: AlertState | undefined, now: number): boolean {
  if (!state || state.isClosed) return false;
  const { acknowledgedAt, acknowledgedUntil } = state;
  return acknowledgedAt === null || (acknowledgedUntil !== null && acknowledgedUntil <= now);
}

/** By a rule that is asked before any route. */
function isHeld(code: Withheld | null): boolean {
  return code === 'silenced' || code === 'inhibited';
}

/** It was raised, so that nothing in itself withheld it then. */
function toDecided({ severity, tags, contractId }: AlertDocument) {
  return { severity: severity as Severity, tags: tags as string[], contractId };
}

type Moved = {
  from: RouteGroup;
  alert: GroupAlert;
  document: AlertDocument;
  to: TakenRoute<CompiledRoute>[];
};

/** Hands alerts over to the routes that would take them now, where they are due at once. */
async function moveAlerts(tx: Db, moved: readonly Moved[], now: number): Promise<void> {
  if (moved.length === 0) return;
  const added = moved.flatMap(({ alert, document, to }) =>
    to.map(({ route }) => ({
      ...alert,
      routeId: route.id,
      key: groupKeyOf(route.groupBy, toGrouped(document)),
    })),
  );
  const groups = await lockGroups(tx, added, now);
  await saveGroups(
    tx,
    groups.map((group) => ({ ...group, repeatAt: Math.min(group.repeatAt ?? now, now), plannedAt: now })),
  );
  await insertGroupAlerts(tx, added);
  await deleteGroupAlerts(
    tx,
    moved.map(({ from, alert: { uid } }) => ({ ...from, uid })),
  );
}

function toGrouped({ uid, contractId, kind, ...document }: AlertDocument): GroupedAlert {
  const textAt = (name: string) => (typeof document[name] === 'string' ? document[name] : undefined);
  return {
    uid,
    contractId,
    kind,
    incidentUid: textAt('incidentUid'),
    detectorSchemaName: textAt('detectorSchemaName'),
    triggerType: textAt('triggerType'),
  };
}

function toMessage(
  { tenantId, routeId, key, beganAt, repeats }: RouteGroup,
  { route, reachable: destinationIds }: TakenRoute<CompiledRoute>,
  document: AlertDocument,
  { pending, links, types }: { pending: number; links: AlertLinks; types: DecisionRules['destinations'] },
): NewMessage {
  const number = repeats + 1;
  const { incidentUid } = toGrouped(document);
  const isRead = (id: number) => {
    const type = types?.get(id);
    return type !== undefined && isGrouped(destinationKinds[type]);
  };
  return {
    tenantId,
    type: 'alert.repeated',
    data: {
      ...document,
      repeat: { number, since: beganAt, open: pending, routeId, routeName: route.name },
      links: links(document),
    },
    destinationIds,
    incident:
      incidentUid && route.groupBy !== 'NONE'
        ? { uid: incidentUid, destinationIds: new Set(destinationIds.filter(isRead)) }
        : undefined,
    alertUid: document.uid,
    // The same of the same repeat, by any process.
    key: `repeat ${tenantId} ${routeId} ${key} ${beganAt} ${number}`,
  };
}

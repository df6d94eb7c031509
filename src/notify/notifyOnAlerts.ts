import { groupBy } from '../lib/groupBy.ts';
import { settleAll } from '../lib/settleAll.ts';
import type { RaisedAlert } from '../model/alert.ts';
import type { AlertLinks } from '../model/notification.ts';
import type { Db } from '../store/db/db.ts';
import { insertDecisions } from '../store/destinations/alertDecisions.ts';
import { type DecisionRules, findDecisionRules } from '../store/destinations/decisionRules.ts';
import { retractDeliveries } from '../store/destinations/followUps.ts';
import { findFollowedChains, setHeldBlocks } from '../store/destinations/heldDeliveries.ts';
import { insertDeliveries } from '../store/destinations/insertDeliveries.ts';
import { type AlertSource, findRecipients } from '../store/destinations/recipients.ts';
import { deleteUndecided, insertUndecided } from '../store/destinations/undecidedAlerts.ts';
import { type EscalationStart, startEscalations } from '../store/onCall/escalations.ts';
import { documentOf, readDocuments } from './alertDocuments.ts';
import { createAlertFilters } from './createAlertFilters.ts';
import { decideByRules } from './decideByRules.ts';
import { type Withheld, withheldByItself } from './decideNotification.ts';
import { holdRepeats } from './holdRepeats.ts';
import { noteInhibitions } from './noteInhibitions.ts';
import { planGroups, type RoutedAlert } from './routes/planGroups.ts';
import type { TakenRoute } from './routes/takeRoutes.ts';
import { toStoredDecision } from './routes/toStoredDecision.ts';
import type { CompiledRoute } from './rules/compileRoutes.ts';
import { createRuleBudget } from './rules/createRuleBudget.ts';
import { createRules, type Rules } from './rules/createRules.ts';
import { type AlertRecipient, toMessages } from './toMessages.ts';
import { toUndecided } from './toUndecided.ts';

type Options = {
  links: AlertLinks;
  now: () => number;
  /** Time for which the rules of one tenant may hold the transaction. What is undecided then, `startDeciding` decides. */
  budgetMs?: number;
};

/** Decides who is notified of new alerts and inserts the deliveries, in the alerts' own transaction. */
export function createNotifyOnAlerts({ links, now, budgetMs = Number.POSITIVE_INFINITY }: Options) {
  const findRules = createRules();
  return async (tx: Db, raised: readonly RaisedAlert[]) => {
    const judged = raised.filter(({ finding }) => withheldByItself(finding) === null);
    if (judged.length === 0) return undefined;
    const tenantIds = [...new Set(judged.map(({ finding }) => finding.tenantId))];
    // Sent together, so that rules cost no round trip.
    const [recipients, versions] = await settleAll([
      findByAlert(tx, judged),
      findDecisionRules(tx, tenantIds),
    ]);
    if (recipients.length === 0 && versions.size === 0) return undefined;
    return async () => {
      const at = now();
      await deliver(tx, judged, {
        recipients,
        versions,
        rules: await findRules(tx, versions, at),
        links,
        at,
        budgetMs,
      });
    };
  };
}

type Found = {
  recipients: readonly AlertRecipient[];
  versions: ReadonlyMap<number, DecisionRules>;
  rules: ReadonlyMap<number, Rules>;
  links: AlertLinks;
  at: number;
  budgetMs?: number;
  isLate?: boolean;
};

export async function deliver(
  tx: Db,
  judged: readonly RaisedAlert[],
  { recipients, versions, rules, links, at, budgetMs = Number.POSITIVE_INFINITY, isLate = false }: Found,
): Promise<void> {
  const ways = groupBy(recipients, ({ alert }) => alert);
  const alerts = judged.filter((alert) => ways.has(alert) || rules.has(alert.finding.tenantId));
  if (alerts.length === 0) return;
  const documents = await readDocuments(tx, alerts);
  const filters = createAlertFilters(at);
  const rulesOf = (tenantId: number) => rules.get(tenantId);
  const subjectOf = (alert: RaisedAlert) => filters.subjectOf(documentOf(documents, alert));
  const budget = createRuleBudget(budgetMs);
  const context = { rulesOf, subjectOf, budget, now: at };
  const inhibiting = isLate ? new Set<string>() : await noteInhibitions(tx, alerts, context);
  const undecided: RaisedAlert[] = [];
  const selected: AlertRecipient[] = [];
  const routed: RoutedAlert[] = [];
  const starts: EscalationStart[] = [];
  const decided: Parameters<typeof insertDecisions>[1][number][] = [];
  for (const alert of alerts) {
    const { finding, uid } = alert;
    const { tenantId } = finding;
    const destinations = versions.get(tenantId)?.destinations;
    const known = { rules: rulesOf(tenantId), destinations, inhibiting, now: at, isLate };
    const document = documentOf(documents, alert);
    const within = await budget.run(tenantId, (pause) =>
      decideByRules(finding, document, ways.get(alert) ?? [], { ...known, pause }, filters),
    );
    if (!within) {
      undecided.push(alert);
      continue;
    }
    const decision = within.result;
    selected.push(...decision.recipients);
    for (const taken of decision.taken) {
      const item = toRouted(alert, taken, decision.code);
      routed.push(item);
      if (decision.code === null && taken.held === null) starts.push(...toStart(alert, taken.route));
      if (item.isSent) selected.push(...toRecipients(alert, taken, item, destinations));
    }
    if (decision.taken.length > 0 || decision.code === 'silenced' || decision.code === 'inhibited')
      decided.push({ tenantId, uid, decision: toStoredDecision(decision) });
  }
  await insertUndecided(tx, undecided.map(toUndecided), at);
  await insertDecisions(tx, decided, at);
  await startEscalations(tx, starts, at);
  const dueOfRoute = await planGroups(tx, routed, at);
  if (selected.length === 0) return;
  const grown = selected.filter(growsWithIncident);
  const dueOfIncident = await holdRepeats(tx, grown, at);
  const dueAt = (recipient: AlertRecipient) => {
    const routedAt = recipient.routed && dueOfRoute(recipient.routed);
    const grownAt = growsWithIncident(recipient) ? dueOfIncident(recipient) : undefined;
    return routedAt === undefined || grownAt === undefined
      ? (routedAt ?? grownAt)
      : Math.max(routedAt, grownAt);
  };
  const followed = await findFollowed(tx, selected);
  await insertDeliveries(tx, toMessages(documents, selected, links, { dueAt, followed }), at);
}

/** The chain of a route, for the incident of the alert. The end of a condition calls no one. */
function toStart(
  { uid, finding, incident }: RaisedAlert,
  { escalationChainId, name }: CompiledRoute,
): EscalationStart[] {
  const { tenantId, nextStep, isEnd } = finding;
  if (escalationChainId == null || !incident || isEnd) return [];
  const extra = { incident, ...(nextStep === undefined ? {} : { nextStep }) };
  const startedBy = `Route ${name}`;
  return [{ tenantId, incidentUid: incident.uid, alertUid: uid, escalationChainId, startedBy, extra }];
}

/** By default people get the growth of an incident in one message. */
function growsWithIncident({ routed }: AlertRecipient): boolean {
  return !routed || (routed.route.groupBy === 'INCIDENT' && routed.route.intervalSeconds === null);
}

function toRouted(
  { uid, finding, incident }: RaisedAlert,
  { route, held, destinationIds }: TakenRoute<CompiledRoute>,
  code: Withheld | null,
): RoutedAlert {
  const { tenantId, contractId, kind, severity, timestamp, detectorSchemaName, triggerType } = finding;
  return {
    route,
    alert: {
      uid,
      tenantId,
      contractId,
      incidentUid: incident?.uid,
      kind,
      detectorSchemaName,
      triggerType,
      severity,
      timestamp,
    },
    isSent: code === null && destinationIds.length > 0,
    // A hold may end, but the severity of an alert stays. The end of a condition needs no answer.
    repeats: held !== 'below-floor' && !finding.isEnd,
  };
}

function toRecipients(
  alert: RaisedAlert,
  { destinationIds }: TakenRoute<CompiledRoute>,
  routed: RoutedAlert,
  types: DecisionRules['destinations'],
): AlertRecipient[] {
  return destinationIds.flatMap((destinationId) => {
    const type = types?.get(destinationId);
    const way = { minSeverity: null, afterConfirmations: null, query: null };
    return type ? [{ ...way, destinationId, type, alert, routed }] : [];
  });
}

/** The chains on whose blocks some of them wait. */
async function findFollowed(tx: Db, recipients: readonly AlertRecipient[]): Promise<ReadonlySet<string>> {
  const uids = recipients.flatMap(({ afterConfirmations, alert }) =>
    afterConfirmations && alert.finding.chainUid ? [alert.finding.chainUid] : [],
  );
  return uids.length > 0 ? findFollowedChains(tx, [...new Set(uids)]) : new Set();
}

/** Tells deliveries that wait for confirmations which block has their alert, once one has. */
export function createHoldOnMined() {
  return async (tx: Db, mined: readonly RaisedAlert[]) => {
    const alerts = mined.flatMap(({ uid, finding: { tenantId, blockNumber } }) =>
      blockNumber == null ? [] : [{ tenantId, uid, blockNumber }],
    );
    return alerts.length > 0 ? () => setHeldBlocks(tx, alerts) : undefined;
  };
}

/** Cancels unsent deliveries of retracted alerts and notifies those who received one, in the transaction of the retraction. */
export function createNotifyOnRetractions({ now }: { now: () => number }) {
  return async (
    tx: Db,
    retracted: readonly { tenantId: number; uid: string; reason?: string }[],
  ): Promise<void> => {
    if (retracted.length === 0) return;
    await deleteUndecided(tx, retracted);
    await retractDeliveries(tx, retracted, now());
  };
}

function toSource({ finding }: RaisedAlert): AlertSource {
  const { tenantId, projectId, contractId, kind, meta } = finding;
  const triggerAlertId = typeof meta.triggerAlertId === 'number' ? meta.triggerAlertId : undefined;
  const ids = { detector: finding.detectorId, trigger: triggerAlertId, action: finding.actionId };
  return { tenantId, kind, sourceId: ids[kind] ?? null, projectId, contractId };
}

/** Alert by alert; asks once for all alerts of a source, which are often all of them. */
export async function findByAlert(tx: Db, alerts: readonly RaisedAlert[]): Promise<AlertRecipient[]> {
  const places = new Map<string, number>();
  const sources: AlertSource[] = [];
  const placed = alerts.map((alert) => {
    const source = toSource(alert);
    const key = Object.values(source).join(' ');
    const index = places.get(key) ?? sources.push(source) - 1;
    places.set(key, index);
    return { alert, place: index };
  });
  const recipients = groupBy(await findRecipients(tx, sources), ({ index }) => index);
  return placed.flatMap(({ alert, place: index }) =>
    (recipients.get(index) ?? []).map(({ index: _index, ...recipient }) => ({ ...recipient, alert })),
  );
}

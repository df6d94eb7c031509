import { detectors } from '../../detectors/detectors.ts';
import { endNextStep, type Severity } from '../../model/alert.ts';
import { Problem } from '../../model/errors.ts';
import { type Withheld, withheldByItself } from '../../notify/decideNotification.ts';
import { findAlertIntents } from '../../store/actions/intentLog.ts';
import { findAlert } from '../../store/alerts/alertRecords.ts';
import { findIncident } from '../../store/alerts/incidentTable.ts';
import { findDecision } from '../../store/destinations/alertDecisions.ts';
import { findAlertDeliveries } from '../../store/destinations/deliveryLog.ts';
import { deliveryRetentionMs } from '../../store/destinations/purgeDeliveries.ts';
import { type AlertSource, findRecipients } from '../../store/destinations/recipients.ts';
import { findSilencesById, type NamedSilence } from '../../store/destinations/silences.ts';
import { ownTenantsScope } from '../../store/search/documents/documentScopes.ts';
import { findChainStates } from '../../store/watch/chainStates.ts';
import { findUnseen } from '../../store/watch/untraced.ts';
import { explainWait } from '../actions/readIntents.ts';
import type { Call } from '../call.ts';

/** Reasons why no one was notified of an alert, for people. */
export const withheldReasons = {
  suppressed: "It is over the rate limit of the tenant's plan: it is stored, but no one is notified.",
  backfilled: 'It was pushed more than an hour after it happened: it is stored, but no one is notified.',
  shadow: 'Its detector is on trial (tag `shadow`): it notifies no one and fires nothing.',
  purged: 'Deliveries are kept for 90 days; those of this alert are deleted.',
  silenced: 'A silence holds it from people: it is stored, searched and scored, and its actions fire.',
  'no-destination':
    'No active destination is bound to what raised it, gets it by a rule of its own, or has the default tags. Bind one, or let one get it.',
  filtered:
    'The filters of bindings and destinations (severity, query) did not let it pass to any destination.',
} as const satisfies Record<Withheld | 'purged', string>;

type Reason = keyof typeof withheldReasons;

const names = [
  'uid',
  'tenantId',
  'timestamp',
  'projectId',
  'contractId',
  'kind',
  'severity',
  'tags',
  'meta',
  'suppressed',
  'backfilled',
  'detectorId',
  'detectorSchemaName',
  'actionId',
  'incidentUid',
  'chainUid',
  'blockNumber',
  'blockHash',
] as const;

type OwnAlert = AlertSource & {
  uid: string;
  timestamp: number;
  severity: Severity;
  tags: readonly string[];
  meta: Record<string, unknown>;
  suppressed: boolean;
  backfilled: boolean;
  detectorId: number | null;
  detectorSchemaName: string | null;
  actionId: number | null;
  incidentUid: string | null;
  chainUid: string | null;
  blockNumber: number | null;
  blockHash: string | null;
};

/** Inner calls of the alert's block: yet to be seen, or never. */
export const unseenStates = ['waiting', 'given-up', 'unavailable'] as const;

/** Deliveries and intents that are shown; no alert has as many destinations and actions. */
const maxShown = 1000;

/** Everything that followed from an alert. Those who see it because it is shared do not see whom its owner notifies. */
export async function readOutcome(call: Call, uid: string) {
  const found = await findAlert(call.db, ownTenantsScope(call.scope), uid, names);
  if (!found) throw new Problem('not-found', 'There is no such alert.');
  // Read by these names from columns of these types.
  const alert = found as OwnAlert;
  const key = { tenantId: alert.tenantId, alertUid: alert.uid };
  const deliveries = await findAlertDeliveries(call.db, key, maxShown);
  const intents = await findAlertIntents(call.db, key, maxShown);
  const held = await findHolders(call, alert, deliveries);
  const code = held.length > 0 ? 'silenced' : deliveries.length > 0 ? null : await findReason(call, alert);
  return {
    incident: alert.incidentUid && ((await findIncident(call.db, call.scope, alert.incidentUid)) ?? null),
    nextStep: isEnd(alert) ? endNextStep : (detectors.get(alert.detectorSchemaName ?? '')?.nextStep ?? null),
    silence: code && { code, reason: withheldReasons[code], silences: held },
    unseen: await readUnseen(call, alert),
    deliveries,
    intents: intents.map((intent) => explainWait(call, intent)),
  };
}

/** Only detectors of Vigil's own report ends. */
function isEnd({ detectorSchemaName, severity, meta }: OwnAlert): boolean {
  return meta.ended === true && severity === 'INFO' && detectors.has(detectorSchemaName ?? '');
}

/** The silences that held the alert when it was last raised; none if someone was notified since. */
async function findHolders(
  { db }: Call,
  { tenantId, uid }: OwnAlert,
  deliveries: readonly { type: string; createdAt: number }[],
): Promise<NamedSilence[]> {
  const found = await findDecision(db, { tenantId, uid });
  if (!found) return [];
  const isNotified = deliveries.some(
    ({ type, createdAt }) => !followUps.has(type) && createdAt > found.decidedAt,
  );
  return isNotified ? [] : findSilencesById(db, tenantId, found.decision.silenceIds);
}

const followUps: ReadonlySet<string> = new Set(['alert.retracted', 'alert.resolved']);

/** By the bindings of the moment, which may have changed since the alert was raised. */
async function findReason(call: Call, alert: OwnAlert): Promise<Reason> {
  const code = withheldByItself(alert);
  if (code) return code;
  if (alert.timestamp < call.now - deliveryRetentionMs) return 'purged';
  const { triggerAlertId } = alert.meta;
  const ids = {
    detector: alert.detectorId,
    trigger: typeof triggerAlertId === 'number' ? triggerAlertId : null,
    action: alert.actionId,
  };
  const { tenantId, projectId, contractId, kind } = alert;
  const source = { tenantId, kind, sourceId: ids[kind], projectId, contractId };
  return (await findRecipients(call.db, [source])).length > 0 ? 'filtered' : 'no-destination';
}

/** Missing knowledge: an alert shows only what Vigil could see. */
async function readUnseen({ db, now }: Call, { chainUid, blockNumber, blockHash, timestamp }: OwnAlert) {
  if (chainUid === null || blockNumber === null || blockHash === null) return null;
  const found = await findUnseen(db, chainUid, { number: blockNumber, hash: blockHash });
  const traces = (await findChainStates(db)).get(chainUid)?.traces;
  const unseen = (state: (typeof unseenStates)[number], reason: string | null | undefined) => ({
    state,
    reason: reason ?? 'The traces of its block have not come yet.',
  });
  if (found) return found.isWaiting ? unseen('waiting', traces?.reason) : unseen('given-up', found.reason);
  // Present state says nothing about an old block.
  const isRecent = now - timestamp < recentMs;
  return traces?.state === 'unavailable' && isRecent ? unseen('unavailable', traces.reason) : null;
}

const recentMs = 3_600_000;

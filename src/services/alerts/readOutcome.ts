import { detectors } from '../../detectors/detectors.ts';
import { keysOf } from '../../lib/keysOf.ts';
import { endNextStep, type Severity } from '../../model/alert.ts';
import { Problem } from '../../model/errors.ts';
import { withheldByItself } from '../../notify/decideNotification.ts';
import { findAlertIntents } from '../../store/actions/intentLog.ts';
import { findAlert } from '../../store/alerts/alertRecords.ts';
import { findIncident } from '../../store/alerts/incidentTable.ts';
import { findDecision, type StoredDecision } from '../../store/destinations/alertDecisions.ts';
import { findAlertDeliveries } from '../../store/destinations/deliveryLog.ts';
import { findGuidance } from '../../store/destinations/findAlertDocuments.ts';
import { findInhibitionNames } from '../../store/destinations/inhibitions.ts';
import { type AlertSource, findRecipients } from '../../store/destinations/recipients.ts';
import { findRouteNames } from '../../store/destinations/routes.ts';
import { findSilencesById } from '../../store/destinations/silences.ts';
import { isUndecided } from '../../store/destinations/undecidedAlerts.ts';
import { findEscalations } from '../../store/onCall/escalations.ts';
import { ownTenantsScope } from '../../store/search/documents/documentScopes.ts';
import { findChainStates } from '../../store/watch/chainStates.ts';
import { findUnseen } from '../../store/watch/untraced.ts';
import { explainWait } from '../actions/readIntents.ts';
import type { Call } from '../call.ts';
import { withheldReasons } from '../destinations/withheldReasons.ts';

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
  'triggerId',
  'actionId',
  'incidentUid',
  'chainUid',
  'blockNumber',
  'blockHash',
  'status',
] as const;

type OwnAlert = AlertSource & {
  uid: string;
  status: string;
  timestamp: number;
  severity: Severity;
  tags: readonly string[];
  meta: Record<string, unknown>;
  suppressed: boolean;
  backfilled: boolean;
  detectorId: number | null;
  detectorSchemaName: string | null;
  triggerId: number | null;
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
  const guidance = (await findGuidance(call.db, [alert])).get(alert.uid);
  const decided = await findDecision(call.db, alert);
  const stored = decided?.decision.isRetracted && alert.status !== 'RETRACTED' ? undefined : decided;
  const held =
    stored && !isNotifiedSince(deliveries, stored.decidedAt) ? toReason(stored.decision.code) : null;
  const code = held ?? (deliveries.length > 0 ? null : await findReason(call, alert));
  return {
    incident: alert.incidentUid && ((await findIncident(call.db, call.scope, alert.incidentUid)) ?? null),
    nextStep: guidance?.nextSteps ?? nextStepOf(alert),
    runbookUrl: guidance?.runbookUrl ?? null,
    silence: code && {
      code,
      reason: withheldReasons[code],
      silences:
        code === 'silenced'
          ? await findSilencesById(call.db, alert.tenantId, stored?.decision.silenceIds ?? [])
          : [],
    },
    decision: stored ? await describeDecision(call, alert.tenantId, stored) : null,
    unseen: await readUnseen(call, alert),
    escalations: alert.incidentUid
      ? await findEscalations(call.db, { tenantId: alert.tenantId, incidentUid: alert.incidentUid })
      : [],
    deliveries,
    intents: intents.map((intent) => explainWait(call, intent)),
  };
}

function nextStepOf(alert: OwnAlert): string | null {
  return isEnd(alert) ? endNextStep : (detectors.get(alert.detectorSchemaName ?? '')?.nextStep ?? null);
}

/** Only detectors of Vigil's own report ends. */
function isEnd({ detectorSchemaName, severity, meta }: OwnAlert): boolean {
  return meta.ended === true && severity === 'INFO' && detectors.has(detectorSchemaName ?? '');
}

/** True if someone was notified after the alert was last decided. */
function isNotifiedSince(
  deliveries: readonly { type: string; createdAt: number }[],
  decidedAt: number,
): boolean {
  return deliveries.some(({ type, createdAt }) => !followUps.has(type) && createdAt > decidedAt);
}

function toReason(code: string | null): Reason | null {
  return keysOf(withheldReasons).find((reason) => reason === code) ?? null;
}

/** Routes that took the alert, their recipients, and the inhibitions that held it. */
async function describeDecision(
  { db }: Call,
  tenantId: number,
  {
    decidedAt,
    decision: { routes = [], inhibitionIds = [] },
  }: { decidedAt: number; decision: StoredDecision },
) {
  const names = await findRouteNames(
    db,
    tenantId,
    routes.map(({ id }) => id),
  );
  return {
    at: decidedAt,
    routes: routes.map(({ id, held, destinationIds }) => ({
      id,
      name: names.get(id) ?? '',
      held: toReason(held),
      destinationIds,
    })),
    inhibitions: await findInhibitionNames(db, tenantId, inhibitionIds),
  };
}

const followUps: ReadonlySet<string> = new Set(['alert.retracted', 'alert.resolved']);

/** By the bindings of the moment, which may have changed since the alert was raised. */
async function findReason(call: Call, alert: OwnAlert): Promise<Reason> {
  const code = withheldByItself(alert);
  if (code) return code;
  if (await isUndecided(call.db, alert)) return 'undecided';
  if (alert.timestamp < call.now - call.services.deliveryMs) return 'purged';
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

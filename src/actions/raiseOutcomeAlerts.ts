import { groupBy } from '../lib/groupBy.ts';
import type { ActionOutcome } from '../model/action.ts';
import { type Finding, severityOf } from '../model/alert.ts';
import type { Intent } from '../store/actions/claimIntents.ts';
import { gapFillerBinding } from '../store/actions/gapFillers.ts';
import type { Db } from '../store/db/db.ts';
import { addOwnSamples } from '../store/telemetry/addSamples.ts';
import { maxIntentAgeMs, type OutcomeContext } from './actionContext.ts';
import { actionsOn } from './fillCall.ts';

const hourMs = 3_600_000;

type Outcome = {
  outcome: ActionOutcome;
  /** The time of the alert; the same each time it is raised, so that it is raised once. */
  at: number;
  address?: string;
  txHash?: string;
  reason?: string | null;
  attempt?: number;
  nonce?: number | null;
  mined?: { blockNumber: number; blockHash: string; cost: bigint };
};

/**
 * The finding of an action's outcome. It has the severity of the alert that fired the action; a failure is at least HIGH, and so
 * is a call that waits for money.
 */
export function toOutcomeFinding(intent: Intent, outcome: Outcome): Finding {
  const { action, severity } = intent;
  const { contract, wallet } = action;
  const { attempt = 1, reason, mined, txHash = null } = outcome;
  const isBelowHigh = severityOf[severity] < severityOf.HIGH;
  return {
    tenantId: intent.tenantId,
    projectId: contract.projectId,
    contractId: contract.id,
    kind: 'action',
    group: 'action',
    severity:
      (outcome.outcome === 'failed' || outcome.outcome === 'waiting') && isBelowHigh ? 'HIGH' : severity,
    timestamp: outcome.at,
    key: `action ${intent.uid} ${outcome.outcome} ${attempt}`,
    eid: `${intent.uid}-${outcome.outcome}${attempt > 1 ? `-${attempt}` : ''}`,
    name: action.name,
    message: toMessage(intent, outcome),
    meta: {
      outcome: outcome.outcome,
      intentUid: intent.uid,
      ...(intent.binding === gapFillerBinding ? { filler: true } : {}),
      ...(intent.alertUid ? { alertUid: intent.alertUid } : {}),
      function: action.funcSignature,
      ...(reason ? { reason } : {}),
      ...(outcome.nonce == null ? {} : { nonce: outcome.nonce }),
      ...(mined ? { cost: String(mined.cost), gasCurrency: actionsOn(wallet.chainUid).costUnit } : {}),
    },
    tags: [],
    txHash,
    chainUid: contract.chainUid,
    blockNumber: mined?.blockNumber ?? null,
    blockHash: mined?.blockHash ?? null,
    actionId: action.id,
    walletId: wallet.id,
    walletName: wallet.name,
    walletChainUid: wallet.chainUid,
    walletAddress: outcome.address ?? wallet.address,
  };
}

function toMessage({ action, binding }: Intent, { outcome, reason, mined }: Outcome): string {
  const call =
    binding === gapFillerBinding
      ? 'An empty transaction for a nonce that was missing below that of another call of the wallet'
      : `The call ${action.funcSignature} on ${action.contract.name}`;
  switch (outcome) {
    case 'submitted':
      return `${call} was sent.`;
    case 'replaced':
      return reason
        ? `${call} is called off. ${reason} An empty transaction takes its place.`
        : `${call} waited too long and was sent again with a higher fee.`;
    case 'confirmed':
      return `${call} succeeded in block ${mined?.blockNumber}.`;
    case 'waiting':
      return `${call} waits for money. ${reason ?? ''} It is sent once the wallet ${action.wallet.address} has enough, unless ${maxIntentAgeMs / hourMs} hours have passed by then.`;
    case 'failed':
      return `${call} failed. ${reason ?? ''}`.trim();
  }
}

/** Raises the alerts that were not raised before and counts them, in the transaction that changes the intents. */
export async function raiseOutcomeAlerts(
  tx: Db,
  { alerts, now }: OutcomeContext,
  findings: readonly Finding[],
): Promise<void> {
  if (findings.length === 0) return;
  const raised = await alerts.raise(tx, findings);
  if (raised.length === 0) return;
  const time = now();
  const once = { minute: time - (time % 60_000), value: 1, count: 1, min: 1, max: 1, last: 1 };
  const byTenant = groupBy(raised, ({ finding: { tenantId } }) => tenantId);
  for (const [tenantId, own] of [...byTenant].sort(([a], [b]) => a - b)) {
    const samples = own.flatMap(({ finding: { chainUid, meta } }) => [
      { ...once, metric: 'alerts' as const, labels: { chain: String(chainUid), type: 'action' } },
      {
        ...once,
        metric: 'actions' as const,
        // A gap filler executes no action.
        labels: { chain: String(chainUid), type: meta.filler ? 'filler' : String(meta.outcome) },
      },
    ]);
    await addOwnSamples(tx, samples, tenantId);
  }
}

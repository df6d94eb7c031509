import type { ActionOutcome } from '../model/action.ts';
import { type Finding, severityOf } from '../model/alert.ts';
import { platformTenant, type Sample } from '../model/metrics.ts';
import type { ToldIntent } from '../store/actions/claimIntents.ts';
import { fillerBinding } from '../store/actions/fillers.ts';
import type { Db } from '../store/db.ts';
import { addSamples } from '../store/telemetry/addSamples.ts';
import type { Telling } from './acting.ts';

type Outcome = {
  outcome: ActionOutcome;
  /** The time of the alert; the same whenever it is told again. */
  at: number;
  address?: string;
  txHash?: string;
  reason?: string | null;
  attempt?: number;
  nonce?: number;
  mined?: { blockNumber: number; blockHash: string; cost: bigint };
};

/** The alert of what became of an action. It is as bad as the alert that fired it; a failure is at least HIGH. */
export function toFinding(intent: ToldIntent, outcome: Outcome): Finding {
  const { action, severity } = intent;
  const { contract, wallet } = action;
  const { attempt = 1, reason, mined, txHash = null } = outcome;
  const isMild = severityOf[severity] < severityOf.HIGH;
  return {
    tenantId: intent.tenantId,
    projectId: contract.projectId,
    contractId: contract.id,
    kind: 'action',
    group: 'action',
    severity: outcome.outcome === 'failed' && isMild ? 'HIGH' : severity,
    timestamp: outcome.at,
    key: `action ${intent.uid} ${outcome.outcome} ${attempt}`,
    eid: `${intent.uid}-${outcome.outcome}${attempt > 1 ? `-${attempt}` : ''}`,
    name: action.name,
    message: toMessage(intent, outcome),
    meta: {
      outcome: outcome.outcome,
      intentUid: intent.uid,
      ...(intent.binding === fillerBinding ? { filler: true } : {}),
      ...(intent.alertUid ? { alertUid: intent.alertUid } : {}),
      function: action.funcSignature,
      ...(reason ? { reason } : {}),
      ...(outcome.nonce === undefined ? {} : { nonce: outcome.nonce }),
      ...(mined ? { cost: String(mined.cost), gasCurrency: 'wei' } : {}),
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

function toMessage({ action, binding }: ToldIntent, { outcome, reason, mined }: Outcome): string {
  const call =
    binding === fillerBinding
      ? 'An empty transaction, for a number of the wallet that was missing below that of another call,'
      : `The call ${action.funcSignature} on ${action.contract.name}`;
  switch (outcome) {
    case 'submitted':
      return `${call} was sent.`;
    case 'replaced':
      return `${call} waited too long and was sent again with a higher fee.`;
    case 'confirmed':
      return `${call} succeeded in block ${mined?.blockNumber}.`;
    case 'failed':
      return `${call} failed. ${reason ?? ''}`.trim();
  }
}

/** Raises the alerts and counts them, in the transaction that makes them true. */
export async function tellOutcomes(
  tx: Db,
  { alerts, now }: Telling,
  findings: readonly Finding[],
): Promise<void> {
  if (findings.length === 0) return;
  await alerts.raise(tx, findings);
  const at = now();
  const once = { minute: at - (at % 60_000), value: 1, count: 1, min: 1, max: 1, last: 1 };
  const samples = findings.flatMap(({ tenantId, chainUid, meta }): Sample[] =>
    [tenantId, platformTenant].flatMap((owner) => [
      { ...once, tenantId: owner, metric: 'alerts', labels: { chain: String(chainUid), type: 'action' } },
      {
        ...once,
        tenantId: owner,
        metric: 'actions',
        // A filler carries out nothing.
        labels: { chain: String(chainUid), type: meta.filler ? 'filler' : String(meta.outcome) },
      },
    ]),
  );
  await addSamples(tx, samples);
}

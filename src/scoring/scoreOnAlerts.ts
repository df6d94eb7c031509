import { type Finding, isShadow, type RaisedAlert, severityOf } from '../model/alert.ts';
import type { Db } from '../store/db/db.ts';
import {
  findScoredProjects,
  type QueuedAlert,
  queueAlerts,
  queueRetractions,
} from '../store/scores/queueScores.ts';

/** Queues new alerts of licensed projects for scoring, in the alerts' own transaction. */
export function createScoreOnAlerts({ now }: { now: () => number }) {
  return async (tx: Db, raised: readonly RaisedAlert[]) => {
    // Pending alerts are scored once a block has them.
    const scorable = raised.filter(({ finding }) => !isShadow(finding) && !finding.isPending);
    if (scorable.length === 0) return undefined;
    const projects = await findScoredProjects(
      tx,
      scorable.map(({ finding }) => finding),
    );
    const scored = scorable
      .filter(({ finding }) => projects.has(finding.projectId))
      .sort((left, right) => left.finding.timestamp - right.finding.timestamp);
    return scored.length > 0 ? () => queueAlerts(tx, scored.map(toQueued), now()) : undefined;
  };
}

type Retracted = { tenantId: number; uid: string; timestamp: number };

/** Queues the undoing of what retracted alerts did to scores, in the transaction of the retraction. */
export function createScoreOnRetractions({ now }: { now: () => number }) {
  return async (tx: Db, retracted: readonly Retracted[]): Promise<void> => {
    if (retracted.length > 0) await queueRetractions(tx, retracted, now());
  };
}

function toQueued({ finding, uid }: RaisedAlert): QueuedAlert {
  return {
    type: 'alert',
    uid,
    kind: finding.kind,
    group: finding.group,
    severity: finding.severity,
    numericSeverity: severityOf[finding.severity],
    timestamp: finding.timestamp,
    eid: finding.eid,
    name: finding.name,
    message: finding.message,
    // The license may belong to another organisation.
    meta: withoutPrivate(finding.meta),
    tags: finding.tags,
    tenantId: finding.tenantId,
    projectId: finding.projectId,
    contractId: finding.contractId,
    txHash: finding.txHash ?? null,
    chainUid: finding.chainUid ?? null,
    blockNumber: finding.blockNumber ?? null,
    blockHash: finding.blockHash ?? null,
    detectorId: finding.detectorId ?? null,
    triggerId: finding.triggerId ?? null,
    actionId: finding.actionId ?? null,
    walletId: finding.walletId ?? null,
    walletName: finding.walletName ?? null,
    walletChainUid: finding.walletChainUid ?? null,
    walletAddress: finding.walletAddress ?? null,
    interceptorType: finding.interceptorType ?? null,
    triggerType: finding.triggerType ?? null,
    suppressed: finding.suppressed ?? false,
    backfilled: finding.backfilled ?? false,
  };
}

function withoutPrivate({ private: _private, ...meta }: Finding['meta']): Finding['meta'] {
  return meta;
}

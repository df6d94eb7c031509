import { type Finding, type RaisedAlert, severityOf } from '../model/alert.ts';
import type { Db } from '../store/db.ts';
import {
  findScoredProjects,
  type QueuedAlert,
  queueAlerts,
  queueRetractions,
} from '../store/scores/queueScores.ts';

/** Alerts with this tag are for trying a detector out. */
const shadow = 'shadow';

/** Queues new alerts of licensed projects to be scored, in their own transaction. */
export function createScoreOnAlerts({ now }: { now: () => number }) {
  return async (tx: Db, raised: readonly RaisedAlert[]): Promise<void> => {
    const counted = raised.filter(({ finding }) => !finding.tags.includes(shadow));
    if (counted.length === 0) return;
    const projects = await findScoredProjects(
      tx,
      counted.map(({ finding }) => finding),
    );
    const scored = counted
      .filter(({ finding }) => projects.has(finding.projectId))
      .sort((one, other) => one.finding.timestamp - other.finding.timestamp);
    if (scored.length > 0) await queueAlerts(tx, scored.map(toQueued), now());
  };
}

type Retracted = { tenantId: number; uid: string; timestamp: number };

/** What retracted alerts did to scores is to be undone, which is queued in their own transaction. */
export function createUnscoreOnRetractions({ now }: { now: () => number }) {
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
    // Licenses may be another organisation's.
    meta: withoutPrivate(finding.meta),
    tags: finding.tags,
    tenantId: finding.tenantId,
    projectId: finding.projectId,
    contractId: finding.contractId,
    txHash: finding.txHash ?? null,
    chainUid: finding.chainUid ?? null,
    blockNumber: finding.blockNumber ?? null,
    detectorId: finding.detectorId ?? null,
    triggerId: finding.triggerId ?? null,
    actionId: finding.actionId ?? null,
    triggerType: finding.triggerType ?? null,
    suppressed: finding.suppressed ?? false,
  };
}

function withoutPrivate({ private: _private, ...meta }: Finding['meta']): Finding['meta'] {
  return meta;
}

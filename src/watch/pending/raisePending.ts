import { pendingSource } from '../../alerts/adoptPending.ts';
import { alertUid } from '../../alerts/alertUid.ts';
import type { Finding } from '../../model/alert.ts';
import type { PendingTransaction } from '../../model/pending.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import { insertPendingAlerts } from '../../store/watch/pendingAlerts.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import type { PendingFinding } from './createPendingEvaluator.ts';
import type { TrackedTransactions } from './createTrackedTransactions.ts';

type Pending = {
  transaction: PendingTransaction;
  pendingFindings: readonly PendingFinding[];
  isStillWanted: () => boolean;
};

/** Raises the alerts in the turn of blocks, so that a block with the transaction comes wholly before it or after it. */
export async function raisePending(
  context: PipelineContext,
  tracked: TrackedTransactions,
  { transaction, pendingFindings, isStillWanted }: Pending,
): Promise<void> {
  const { chain, alerts, holder, now, onStep } = context;
  const { hash, from, nonce, maxFee, tip } = transaction;
  await alerts.prepare(pendingFindings.map(({ finding }) => finding));
  await onStep('before alerts of a pending transaction are written');
  const raised = await context.runExclusive(async () => {
    if (context.isStopped || !isStillWanted()) return [];
    const written = await alerts.commit(chain.uid, async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      const rows = pendingFindings.map(({ finding, needsTrace }) => ({
        ...positionOf(finding, hash),
        uid: alertUid(finding),
        timestamp: finding.timestamp,
        sender: from,
        nonce,
        maxFee: String(maxFee),
        tip: tip === null ? null : String(tip),
        needsTrace,
      }));
      const inserted = await insertPendingAlerts(tx, chain.uid, rows, now());
      const fresh = pendingFindings.flatMap(({ finding }): Finding[] => {
        const key = positionOf(finding, hash);
        const row = inserted.find(
          ({ tenantId, source, place: position }) =>
            tenantId === key.tenantId && source === key.source && position === key.place,
        );
        return row ? [{ ...finding, uid: row.uid, timestamp: row.timestamp }] : [];
      });
      await onStep('while alerts of a pending transaction are written');
      return { result: fresh, writes: [{ type: 'raise', of: 'pending', findings: fresh }] };
    });
    const isReplaced = !isStillWanted();
    if (written.length > 0)
      tracked.add({ hash, from, nonce, maxFee: String(maxFee), state: 'PENDING' }, isReplaced);
    return written;
  });
  await onStep('after alerts of a pending transaction were written');
  context.meter.countAlerts(raised);
}

function positionOf(finding: Finding, txHash: string) {
  return { txHash, tenantId: finding.tenantId, source: pendingSource(finding), place: finding.place ?? '' };
}

import type { AlertWrite } from '../../model/alertWrite.ts';
import type { Block } from '../../model/block.ts';
import type { Db } from '../../store/db/db.ts';
import { type MinedTransaction, markGone, markMined } from '../../store/watch/pendingAlerts.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import type { TrackedTransactions } from './createTrackedTransactions.ts';

/** Tracked transactions that the blocks have, or have replaced; written in the transaction that moves the cursor. */
export function findMined(
  { chain, now, onStep }: PipelineContext,
  tracked: TrackedTransactions,
  blocks: readonly Block[],
  isTraced: (block: Block) => boolean,
) {
  const mined: MinedTransaction[] = [];
  const replaced: string[] = [];
  if (!tracked.isEmpty())
    for (const block of blocks)
      for (const transaction of block.transactions) {
        if (tracked.has(transaction.hash))
          mined.push({ hash: transaction.hash, block, isTraced: isTraced(block) });
        replaced.push(...tracked.rivals(transaction).map(({ hash }) => hash));
      }
  const count = mined.length + replaced.length;
  return {
    count,
    async write(tx: Db): Promise<AlertWrite[]> {
      await markMined(tx, chain.uid, mined, now());
      const gone = replaced.length > 0 ? await markGone(tx, chain.uid, replaced, now()) : [];
      if (count > 0) await onStep('while the block of a pending transaction is written');
      return gone.length > 0 ? [{ type: 'retractPending', alerts: gone, reason: 'REPLACED' }] : [];
    },
    committed(): void {
      tracked.setMined(
        mined.map(({ hash }) => hash),
        replaced,
      );
    },
  };
}

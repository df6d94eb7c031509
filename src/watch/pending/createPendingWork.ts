import { pendingSource } from '../../alerts/adoptPending.ts';
import { alertUid } from '../../alerts/alertUid.ts';
import type { Finding } from '../../model/alert.ts';
import type { AlertWrite } from '../../model/alertWrite.ts';
import type { Block } from '../../model/block.ts';
import type { MempoolSubscription, PendingState, PendingTransaction } from '../../model/pending.ts';
import type { Db } from '../../store/db/db.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import {
  insertPendingAlerts,
  type MinedTransaction,
  markGone,
  markMined,
} from '../../store/watch/pendingAlerts.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { createPublisher } from '../commit/createPublisher.ts';
import { createPendingEvaluator, type PendingFinding } from './createPendingEvaluator.ts';
import { createPendingIntake } from './createPendingIntake.ts';
import { createTrackedTransactions } from './createTrackedTransactions.ts';

/**
 * Raises alerts of transactions that no block has yet: simulated on the newest state, evaluated without keeping a
 * state. A block that has the transaction confirms its alerts; if it vanishes, they are retracted.
 */
export function createPendingWork(context: PipelineContext) {
  const { chain, store, alerts, watchList, meter, holder, now, mempool, onStep, pendingMode: mode } = context;
  const { pendingIndex } = watchList;
  const intake = createPendingIntake({ index: pendingIndex, now, work });
  const evaluator = createPendingEvaluator(context);
  const tracked = createTrackedTransactions(context);
  let subscription: MempoolSubscription | undefined;
  let simulated = 0;
  const counted = { seen: 0, simulated: 0, dropped: 0 };
  let isSettling = false;
  const publish = createPublisher(store, { chainUid: chain.uid, holder, of: 'pending' });

  function isWanted(): boolean {
    return mempool !== undefined && mode === 'auto' && !pendingIndex.isEmpty();
  }

  /** Connects as soon as something wants pending transactions, and leaves when nothing does any more. */
  function start(): void {
    if (context.isStopped || !isWanted()) stop();
    else subscription ??= mempool?.subscribe(take);
  }

  function stop(): void {
    subscription?.stop();
    subscription = undefined;
  }

  function take(transaction: PendingTransaction): void {
    if (context.isStopped) return;
    tracked.retractReplacedBy(transaction);
    intake.take(transaction);
  }

  /** True if the transaction is done; otherwise it is tried again after the next blocks. */
  async function work(transaction: PendingTransaction, isStillWanted: () => boolean): Promise<boolean> {
    const { tip } = context;
    if (!mempool || context.isStopped) return true;
    if (!tip) return false;
    await onStep('before a pending transaction is simulated');
    const simulation = await mempool.simulate(transaction, tip);
    simulated++;
    if (!simulation) return true;
    if (!simulation.isSuccess) return false;
    const pendingFindings = await evaluator.evaluate(transaction, simulation);
    if (pendingFindings.length > 0) await raise(transaction, pendingFindings, isStillWanted);
    // It may do something else in a later block.
    return false;
  }

  /** In the turn of blocks, so that a block with the transaction comes wholly before it or after it. */
  async function raise(
    transaction: PendingTransaction,
    pendingFindings: readonly PendingFinding[],
    isStillWanted: () => boolean,
  ): Promise<void> {
    const { hash, from, nonce, maxFee, tip } = transaction;
    await alerts.prepare(pendingFindings.map(({ finding }) => finding));
    await onStep('before alerts of a pending transaction are written');
    const raised = await context.runExclusive(async () => {
      if (context.isStopped || !isStillWanted()) return [];
      const written = await alerts.commit(chain.uid, async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        const rows = pendingFindings.map(({ finding, needsTrace }) => ({
          ...placeOf(finding, hash),
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
          const key = placeOf(finding, hash);
          const row = inserted.find(
            ({ tenantId, source, place: txPosition }) =>
              tenantId === key.tenantId && source === key.source && txPosition === key.place,
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
    meter.countAlerts(raised);
  }

  /** Tracked transactions that the blocks have, or have replaced; written in the transaction that moves the cursor. */
  function findMined(blocks: readonly Block[], isTraced: (block: Block) => boolean) {
    const mined: MinedTransaction[] = [];
    const replaced: string[] = [];
    if (!tracked.isEmpty())
      for (const block of blocks)
        for (const transaction of block.transactions) {
          if (tracked.has(transaction.hash))
            mined.push({ hash: transaction.hash, block, isTraced: isTraced(block) });
          replaced.push(...tracked.rivals(transaction).map(({ hash }) => hash));
        }
    return {
      async write(tx: Db): Promise<AlertWrite[]> {
        await markMined(tx, chain.uid, mined, now());
        const gone = replaced.length > 0 ? await markGone(tx, chain.uid, replaced, now()) : [];
        if (mined.length + replaced.length > 0)
          await onStep('while the block of a pending transaction is written');
        return gone.length > 0 ? [{ type: 'retractPending', alerts: gone, reason: 'REPLACED' }] : [];
      },
      async committed(): Promise<void> {
        tracked.setMined(
          mined.map(({ hash }) => hash),
          replaced,
        );
        if (!subscription) return;
        intake.learn(blocks);
        evaluator.forgetStates();
        if (mined.length + replaced.length > 0)
          await onStep('after the block of a pending transaction was written');
      },
    };
  }

  /** Everything may be pending again. */
  function forgetBlocks(): void {
    tracked.forget();
    intake.forgetBlocks();
    evaluator.forgetStates();
  }

  /** Ends what mined transactions left open, and what no endpoint has any more; publishes how it fares. */
  async function upkeep(): Promise<void> {
    if (!mempool || context.isStopped || isSettling) return;
    isSettling = true;
    try {
      const gone = await tracked.upkeep();
      intake.forget(gone);
      subscription?.forget(gone);
      const published = state();
      for (const type of ['seen', 'simulated', 'dropped'] as const) {
        meter.countPending(type, published[type] - counted[type]);
        counted[type] = published[type];
      }
      await publish(published);
    } finally {
      isSettling = false;
    }
  }

  function state(): PendingState {
    const kinds = subscription?.kinds();
    const { seen = 0, dropped = 0 } = subscription?.counts() ?? {};
    const { fault, dropped: turnedAway } = intake.state();
    const name =
      !mempool || mode === 'off'
        ? 'off'
        : !isWanted()
          ? 'idle'
          : kinds?.length === 0 || fault
            ? 'unavailable'
            : 'ok';
    return {
      mode,
      state: name,
      kinds: [...(kinds ?? [])],
      simulations: [...(mempool?.simulations() ?? [])],
      seen,
      simulated,
      dropped: dropped + turnedAway,
      waiting: tracked.size(),
      reason:
        name !== 'unavailable'
          ? null
          : fault
            ? 'Nodes do not run pending transactions.'
            : 'No node of the chain announces pending transactions.',
    };
  }

  return { start, stop, load: tracked.load, findMined, forgetBlocks, upkeep };
}

function placeOf(finding: Finding, txHash: string) {
  return { txHash, tenantId: finding.tenantId, source: pendingSource(finding), place: finding.place ?? '' };
}

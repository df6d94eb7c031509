import type { Block } from '../../model/block.ts';
import type { MempoolSubscription, PendingState, PendingTransaction } from '../../model/pending.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { createPublisher } from '../commit/createPublisher.ts';
import { createPendingEvaluator } from './createPendingEvaluator.ts';
import { createPendingIntake } from './createPendingIntake.ts';
import { createTrackedTransactions } from './createTrackedTransactions.ts';
import { findMined } from './findMined.ts';
import { raisePending } from './raisePending.ts';

/**
 * Raises alerts of transactions that no block has yet: simulated on the newest state, evaluated without keeping a
 * state. A block that has the transaction confirms its alerts; if it vanishes, they are retracted.
 */
export function createPendingWork(context: PipelineContext) {
  const { chain, store, watchList, meter, holder, now, mempool, onStep, pendingMode: mode } = context;
  const { pendingIndex } = watchList;
  const intake = createPendingIntake({ index: pendingIndex, now, work });
  const evaluator = createPendingEvaluator(context);
  const tracked = createTrackedTransactions(context);
  let subscription: MempoolSubscription | undefined;
  let simulated = 0;
  const counted = { seen: 0, simulated: 0, dropped: 0 };
  let droppedAt: number | null = null;
  let isSettling = false;
  const publish = createPublisher(store, { chainUid: chain.uid, holder, of: 'pending' });

  function isWanted(): boolean {
    return mempool !== undefined && mode === 'auto' && !pendingIndex.isEmpty();
  }

  /** Connects as soon as something wants pending transactions, and leaves when nothing does any more. */
  function start(): void {
    if (context.isStopped || !isWanted()) stop();
    else subscription ??= mempool?.subscribe(receive);
  }

  function stop(): void {
    subscription?.stop();
    subscription = undefined;
  }

  function receive(transaction: PendingTransaction): void {
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
    if (pendingFindings.length > 0)
      await raisePending(context, tracked, { transaction, pendingFindings, isStillWanted });
    // It may do something else in a later block.
    return false;
  }

  /** Takes the pending transactions that the blocks have, or have replaced, as soon as the blocks are written. */
  async function take(blocks: readonly Block[], isTraced: (block: Block) => boolean) {
    await tracked.load();
    const mined = findMined(context, tracked, blocks, isTraced);
    return {
      write: mined.write,
      async committed(): Promise<void> {
        mined.committed();
        if (!subscription) return;
        intake.learn(blocks);
        evaluator.forgetStates();
        if (mined.count > 0) await onStep('after the block of a pending transaction was written');
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
      if (state().dropped > counted.dropped) droppedAt = now();
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
      droppedAt,
      waiting: tracked.size(),
      reason:
        name !== 'unavailable'
          ? null
          : fault
            ? 'Nodes do not run pending transactions.'
            : 'No node of the chain announces pending transactions.',
    };
  }

  return { take, start, stop, forgetBlocks, upkeep };
}

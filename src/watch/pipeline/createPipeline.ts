import type { Subscriber } from '../../matching/subscriber.ts';
import type { Block, Header } from '../../model/block.ts';
import { advanceCursor, finalizeChain } from '../../store/watch/cursor.ts';
import type { FundedAddress } from '../../store/watch/funding.ts';
import type { ChainHalt } from '../../store/watch/halts.ts';
import { commitWrites, createWrites } from '../commit/commitWrites.ts';
import { createPipelineContext, type PipelineOptions } from '../commit/createPipelineContext.ts';
import type { ChainMessage } from '../follow/followChain.ts';
import { createDeferredWork } from '../later/createDeferredWork.ts';
import { createScheduledWork } from '../later/createScheduledWork.ts';
import { createTraceWork } from '../later/createTraceWork.ts';
import { createPendingWork } from '../pending/createPendingWork.ts';
import { createScriptBudget } from '../reads/createScriptBudget.ts';
import { createBlockEvaluator, type EvaluateBlock } from './createBlockEvaluator.ts';
import { createHaltWatch } from './createHaltWatch.ts';
import { rewindChain } from './rewindChain.ts';
import { skipBlocks } from './skipBlocks.ts';
import { takeBaselines } from './takeBaselines.ts';

export type Pipeline = ReturnType<typeof createPipeline>;

/** From block to alert on one chain. Every message is one transaction, which happens wholly or not at all. */
export function createPipeline(
  options: PipelineOptions,
  { tip, halt }: { tip: Header | undefined; halt: ChainHalt | undefined },
) {
  const context = createPipelineContext(options, tip);
  const { chain, store, watchList, deferrals, funding, meter, holder, now } = context;
  const deferredWork = createDeferredWork(context);
  const scheduledWork = createScheduledWork(context);
  const traceWork = createTraceWork(context);
  const haltWatch = createHaltWatch(context, halt);
  const pendingWork = createPendingWork(context);
  const scriptBudget = createScriptBudget();
  /** Work beside the chain, which goes on with what is due after blocks and every second. */
  const lanes = [deferredWork, traceWork, pendingWork];

  function handle(message: ChainMessage): Promise<void> {
    return context.runExclusive(async () => {
      if (message.type === 'blocks') await processBlocks(message.blocks);
      else if (message.type === 'retract') {
        await rewindChain(context, message);
        pendingWork.forgetBlocks();
      } else if (message.type === 'gap') await skipBlocks(context, message);
      else await store.transaction((tx) => finalizeChain(tx, chain.uid, holder, message.final));
    });
  }

  /** Blocks → observations → findings → alerts. */
  async function processBlocks(taken: readonly Block[]): Promise<void> {
    const last = taken.at(-1);
    if (!last) return;
    await watchList.refresh(store);
    const blocks = context.detail ? await Promise.all(taken.map(context.detail)) : taken;
    await funding.refresh(store);
    await context.refreshDeferrals();
    const writes = createWrites();
    const isTraced = traceWork.take(blocks, writes);
    const evaluateBlock = createBlockEvaluator(context, writes, {
      allowance: scriptBudget.openBlock,
      onDeferred: deferredWork.cacheBlock,
    });
    const shown = await takeBaselines(context, blocks[0], writes, evaluateBlock);
    const funded = await evaluateBlocks(blocks, shown, evaluateBlock);
    const upgraded = blocks.flatMap((block) => block.upgraded.filter(watchList.index.has));
    writes.blocks = { funded, upgraded, lastAt: last.timestamp };
    const mined = await pendingWork.take(blocks, isTraced);
    await commitWrites(context, writes, async (tx) => {
      await advanceCursor(tx, context.cursorStep(), blocks);
      return mined.write(tx);
    });
    context.tip = last;
    traceWork.committed();
    await mined.committed();
    watchList.removeAdded(shown.keys());
    deferrals.add(writes.deferred, now());
    meter.countAlerts(writes.findings);
    meter.measureLag(last, context.head());
    for (const lane of lanes) lane.start();
  }

  /** Returns the addresses that the blocks funded. */
  async function evaluateBlocks(
    blocks: readonly Block[],
    shown: ReadonlyMap<Subscriber, number>,
    evaluateBlock: EvaluateBlock,
  ): Promise<FundedAddress[]> {
    const funded: FundedAddress[] = [];
    let previous = context.tip;
    for (const block of blocks) {
      const observations = watchList.index.match(block, previous);
      // Subscribers added meanwhile see this block after their baseline is taken, before the next block.
      for (const subscriber of observations.keys())
        if (watchList.isAdded(subscriber) && (shown.get(subscriber) ?? block.number) >= block.number)
          observations.delete(subscriber);
      funded.push(...funding.trace(block));
      const evaluated = await evaluateBlock(block, previous, observations);
      meter.countBlock(block, observations, evaluated);
      previous = block;
    }
    return funded;
  }

  return {
    handle,
    /** Runs what is due by the clock, and continues deferred evaluations. */
    async tick(previousAt: number, time: number): Promise<void> {
      await haltWatch.check(time);
      for (const lane of lanes) lane.start();
      await traceWork.upkeep();
      await pendingWork.upkeep();
      await scheduledWork.tick(previousAt, time);
    },
    async stop(): Promise<void> {
      pendingWork.stop();
      await context.stop();
    },
  };
}

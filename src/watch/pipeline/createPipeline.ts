import { type DeferralReason, type Evaluated, evaluateMatches } from '../../matching/evaluateMatches.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Block, Header } from '../../model/block.ts';
import { advanceCursor, finalizeChain } from '../../store/watch/cursor.ts';
import type { DeferredRow } from '../../store/watch/deferred.ts';
import type { FundedAddress } from '../../store/watch/funding.ts';
import type { ChainHalt } from '../../store/watch/halts.ts';
import type { NewUntraced } from '../../store/watch/untraced.ts';
import { addEvaluated, commitWrites, createWrites } from '../commit/commitWrites.ts';
import { createPipelineContext, type PipelineOptions } from '../commit/createPipelineContext.ts';
import type { ChainMessage } from '../follow/followChain.ts';
import { createDeferredWork } from '../later/createDeferredWork.ts';
import { createScheduledWork } from '../later/createScheduledWork.ts';
import { createTraceWork } from '../later/createTraceWork.ts';
import { createPendingWork } from '../pending/createPendingWork.ts';
import { createScriptBudget } from '../reads/createScriptBudget.ts';
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
  const { chain, store, watchList, deferrals, funding, states, meter, holder, now } = context;
  const deferredWork = createDeferredWork(context);
  const scheduledWork = createScheduledWork(context);
  const traceWork = createTraceWork(context);
  const haltWatch = createHaltWatch(context, halt);
  const pendingWork = createPendingWork(context);
  const scriptBudget = createScriptBudget();

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
    const untraced = traceWork.isWanted() ? blocks.filter(({ transactions }) => transactions.length > 0) : [];
    untraced.forEach(traceWork.prefetch);
    writes.untraced = [...untraced, ...blocks.flatMap((block) => fundingTraces(block, untraced))];
    const waiting = new Map<Subscriber, DeferralReason>();
    const evaluateBlock = async (block: Block, previous: Header | undefined, observations: Matches) => {
      const deferred = takeDeferred(observations, waiting);
      const evaluated = await evaluate(observations);
      addEvaluated(writes, evaluated, states.apply(block.number, evaluated.states));
      deferred.push(...evaluated.deferred);
      for (const { subscriber, reason } of deferred) {
        waiting.set(subscriber, reason === 'read' ? reason : 'order');
        writes.deferred.push(toDeferredRow(subscriber, block, previous, reason));
      }
      if (deferred.length > 0) deferredWork.cacheBlock(block);
      return evaluated;
    };
    const shown = await takeBaselines(context, blocks[0], writes, evaluateBlock);
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
    const upgraded = blocks.flatMap((block) => block.upgraded.filter(watchList.index.has));
    writes.blocks = { funded, upgraded, lastAt: last.timestamp };
    await pendingWork.load();
    const pending = pendingWork.findMined(blocks, (block) => untraced.includes(block));
    await commitWrites(context, writes, async (tx) => {
      await advanceCursor(tx, context.cursorStep(), blocks);
      return pending.write(tx);
    });
    context.tip = last;
    await pending.committed();
    watchList.removeAdded(shown.keys());
    deferrals.add(writes.deferred, now());
    meter.countAlerts(writes.findings);
    meter.measureLag(last, context.head());
    deferredWork.start();
    traceWork.start();
    pendingWork.start();
  }

  /** Waits for traces of transactions that may hide the recipients of a labelled source, if no subscriber needs the block's. */
  function fundingTraces(block: Block, untraced: readonly Block[]): NewUntraced[] {
    if (!traceWork.isPossible() || untraced.includes(block)) return [];
    const { number, hash } = block;
    return funding.suspects(block).length > 0 ? [{ number, hash, onlyFunding: true }] : [];
  }

  /** Removes the subscribers that must wait: their state depends on the order of their blocks. */
  function takeDeferred(
    observations: Matches,
    waiting: ReadonlyMap<Subscriber, DeferralReason>,
  ): Evaluated['deferred'] {
    const deferred: Evaluated['deferred'] = [];
    for (const subscriber of observations.keys()) {
      const reason = waiting.get(subscriber) ?? deferrals.reasonFor(subscriber);
      if (reason === undefined) continue;
      deferred.push({ subscriber, reason });
      observations.delete(subscriber);
    }
    return deferred;
  }

  async function evaluate(observations: Matches): Promise<Evaluated> {
    await states.load(observations.keys());
    const allowance = scriptBudget.openBlock();
    return evaluateMatches(
      observations,
      states.get,
      (requests) => context.fetch(requests, { allowance }),
      'defer',
    );
  }

  return {
    handle,
    /** Runs what is due by the clock, and continues deferred evaluations. */
    async tick(previousAt: number, at: number): Promise<void> {
      await haltWatch.check(at);
      deferredWork.start();
      traceWork.start();
      await traceWork.upkeep();
      pendingWork.start();
      await pendingWork.upkeep();
      await scheduledWork.tick(previousAt, at);
    },
    async stop(): Promise<void> {
      pendingWork.stop();
      await context.stop();
    },
  };
}

function toDeferredRow(
  { kind, id, contract }: Subscriber,
  { number, hash }: Header,
  previous: Header | undefined,
  reason: string,
): DeferredRow {
  return {
    kind,
    id,
    number,
    hash,
    previous: previous ? { number: previous.number, timestamp: previous.timestamp } : null,
    tenantId: contract.tenantId,
    reason,
  };
}

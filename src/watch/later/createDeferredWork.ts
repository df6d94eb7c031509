import { BlockUnavailable } from '../../chains/chainClient.ts';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import { createSubscriptionIndex } from '../../matching/createSubscriptionIndex.ts';
import type { Evaluated } from '../../matching/evaluateMatches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import {
  type DeferredBacklog,
  type DeferredRow,
  deleteDeferred,
  findDeferred,
  postponeDeferred,
} from '../../store/watch/deferred.ts';
import { addEvaluated, commitWrites, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { createBacklog } from './createBacklog.ts';
import { createBacklogLimit } from './createBacklogLimit.ts';
import { evaluateBeside } from './evaluateBeside.ts';
import { reportWaiting } from './reportWaiting.ts';

/** Subscribers evaluated concurrently, one per tenant. */
const slots = 4;
/** The first and the longest wait of a script that ran into its time limit; it doubles with each further time. */
const firstLoopDelayMs = 1000;
const maxLoopDelayMs = 32_000;

/**
 * Evaluates deferred blocks beside the chain, in order for each subscriber and fair between tenants. Each block has a
 * row until its findings are written.
 */
export function createDeferredWork(context: PipelineContext) {
  const { chain, store, watchList, deferrals, states, meter, holder, now } = context;
  const backlog = createBacklog(context);
  const limit = createBacklogLimit(context);
  const turns = createFairQueue({ slots, slotsPerKey: 1 });
  const running = new Set<string>();

  /** Continues with everything that is due. */
  function start(): void {
    if (context.isStopped) return;
    for (const due of deferrals.due(now())) {
      const key = `${due.kind} ${due.id}`;
      if (running.has(key)) continue;
      running.add(key);
      turns
        .run(due.tenantId, () => evaluateNext(due))
        .catch((error: unknown) => {
          deferrals.delay(due, now() + 5000);
          if (!context.isStopped) context.onError(error);
        })
        .finally(() => {
          running.delete(key);
          start();
        });
    }
  }

  async function evaluateNext(due: DeferredBacklog): Promise<void> {
    if (context.isStopped || !deferrals.has(due)) return;
    const epoch = deferrals.epoch();
    const subscriber = watchList.find(due.kind, due.id);
    if (!subscriber) return limit.drop(due);
    const row = await findDeferred(store, chain.uid, due);
    if (!row) return deferrals.reload();
    due.oldestAt = row.createdAt;
    if (row.reason !== 'read' && (await limit.check(subscriber, due, row))) return;
    try {
      const matches = await matchesOf(subscriber, row);
      const { evaluated, commit } = await evaluateBeside(context, [subscriber], () => ({
        matches,
        onReadFailure: backlog.onReadFailure(row),
      }));
      const [postponed] = evaluated.deferred;
      if (postponed) {
        await postpone(due, row);
        await context.runUnlessStopped(() => reportWaiting(context, row, postponed.fault));
      } else
        await commit(async () => {
          // After a reorganisation, which changed the rows, the subscriber starts with its oldest row again.
          if (deferrals.epoch() === epoch) await settle(subscriber, row, evaluated);
        });
    } catch (error) {
      if (!(error instanceof BlockUnavailable)) throw error;
      await postpone(due, row);
    }
  }

  async function matchesOf(subscriber: Subscriber, row: DeferredRow) {
    const block = await backlog.readBlock(row);
    const index = createSubscriptionIndex();
    index.add(subscriber);
    return index.match(block, row.previous ?? undefined);
  }

  async function postpone(due: DeferredBacklog, row: DeferredRow & { attempts: number }): Promise<void> {
    const nextAttemptAt = backlog.nextAttemptAt(row);
    await postponeDeferred(store, chain.uid, row, nextAttemptAt);
    deferrals.delay(due, nextAttemptAt);
  }

  async function settle(subscriber: Subscriber, row: DeferredRow, evaluated: Evaluated): Promise<void> {
    const writes = createWrites();
    addEvaluated(writes, evaluated, states.apply(row.number, evaluated.states));
    const isLooping = evaluated.faults[0]?.loopedAt !== undefined;
    const { looping, switchedOff } = await commitWrites(context, writes, async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      if (!(await deleteDeferred(tx, chain.uid, row)))
        throw new Error('Another process settled the deferred evaluation.');
    });
    meter.countAlerts(writes.findings);
    deferrals.complete(subscriber);
    deferrals.setSlow(subscriber, isLooping);
    const looped = looping[0]?.looped ?? 1;
    if (isLooping)
      deferrals.delay(subscriber, now() + Math.min(maxLoopDelayMs, firstLoopDelayMs * 2 ** (looped - 1)));
    for (const ref of switchedOff) limit.removeSwitchedOff(ref);
  }

  return { start, cacheBlock: backlog.cacheBlock };
}

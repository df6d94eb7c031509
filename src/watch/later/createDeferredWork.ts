import type { Subscriber, SubscriberRef } from '../../matching/subscriber.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import { type DeferredBacklog, deleteDeferred, dropDeferred } from '../../store/watch/deferred.ts';
import { addEvaluated, commitInPlace, commitWrites, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { faultFinding, lateFinding } from '../subscribers/subscriberFindings.ts';
import { switchOffSubscriber } from '../subscribers/switchOffSubscriber.ts';
import { createDeferredLane, type DeferredEvaluation } from './createDeferredLane.ts';

/**
 * The first wait of a script that ran into its time limit. It doubles with each further time, up to 32 times the first.
 */
const firstLoopDelayMs = 1000;

/** Evaluates deferred blocks beside the chain; whatever it reads or writes of the caches takes its turn with the blocks. */
export function createDeferredWork(context: PipelineContext) {
  const { chain, store, alerts, watchList, ledger, deferrals, states, meter, holder, now, runExclusive } =
    context;

  /** Runs the work in its turn, unless the pipeline was stopped before. */
  function unlessStopped(work: () => Promise<unknown>): Promise<void> {
    return runExclusive(async () => {
      if (!context.isStopped) await work();
    });
  }

  /** Does nothing when a reorganisation or the clock changed the subscriber's state meanwhile: the block is evaluated again. */
  async function settle({ subscriber, row, before, evaluated, epoch }: DeferredEvaluation): Promise<void> {
    if (deferrals.epoch() !== epoch || states.get(subscriber) !== before) return;
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
    if (isLooping) deferrals.delay(subscriber, now() + firstLoopDelayMs * 2 ** Math.min(looped - 1, 5));
    for (const ref of switchedOff) removeSwitchedOff(ref);
  }

  async function drop(backlog: DeferredBacklog): Promise<void> {
    await store.transaction(async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      await dropDeferred(tx, chain.uid, backlog);
    });
    deferrals.drop(backlog);
  }

  async function switchOff(subscriber: Subscriber, backlog: DeferredBacklog): Promise<void> {
    const at = now();
    const reason = `its scripts need more time than its tenant has a share of, and it is ${backlog.count} blocks behind`;
    const fault = { subscriber, message: reason, at };
    await alerts.prepare([faultFinding(fault)]);
    await alerts.commit(chain.uid, async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      const notice = await switchOffSubscriber(tx, context.auditKeys, { subscriber, reason, at, now: at });
      const findings = notice ? [notice] : [];
      return { result: undefined, writes: [{ type: 'raise', of: 'notices', findings }] };
    });
    ledger.committed([{ subscriber, fault }]);
    removeSwitchedOff(subscriber);
  }

  /** The watch list is notified by the store too, but perhaps only after the next block. */
  function removeSwitchedOff(subscriber: SubscriberRef): void {
    deferrals.drop(subscriber);
    watchList.onNotify(`contract ${subscriber.contract.id}`);
  }

  return createDeferredLane({
    chainUid: chain.uid,
    store,
    deferrals,
    fetch: context.fetch,
    readBlock: context.readBlock,
    findSubscriber: watchList.find,
    loadState: (subscriber) =>
      runExclusive(async () => {
        await context.refreshDeferrals();
        await states.load([subscriber]);
        return states.get(subscriber);
      }),
    settle: (evaluation) => unlessStopped(() => settle(evaluation)),
    drop: (backlog) => unlessStopped(() => drop(backlog)),
    reportLate: (subscriber, backlog) =>
      unlessStopped(() =>
        commitInPlace(context, createWrites({ findings: [lateFinding(subscriber, backlog)] })),
      ),
    reportFault: (fault) =>
      unlessStopped(() =>
        commitInPlace(
          context,
          createWrites({
            outcomes: [{ subscriber: fault.subscriber, fault: { ...fault, isWaiting: true } }],
          }),
        ),
      ),
    switchOff: (subscriber, backlog) => unlessStopped(() => switchOff(subscriber, backlog)),
    readWaitMs: context.readWaitMs,
    isStopped: () => context.isStopped,
    now,
    onError: context.onError,
  });
}

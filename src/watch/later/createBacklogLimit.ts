import type { Subscriber, SubscriberRef } from '../../matching/subscriber.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import { type DeferredBacklog, dropDeferred } from '../../store/watch/deferred.ts';
import { commitInPlace, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { faultFinding, lateFinding } from '../subscribers/subscriberFindings.ts';
import { switchOffSubscriber } from '../subscribers/switchOffSubscriber.ts';

/** A subscriber that is behind by this much is switched off; its owner gets an alert at half of it. */
const maxBacklogBlocks = 1000;
const maxBacklogMs = 3_600_000;

/** Bounds the deferred evaluations of a subscriber. */
export function createBacklogLimit(context: PipelineContext) {
  const { chain, store, alerts, watchList, ledger, deferrals, holder, now } = context;
  const reported = new Set<string>();

  /** Reports a subscriber that is far behind; true when it was switched off. */
  async function check(
    subscriber: Subscriber,
    backlog: DeferredBacklog,
    oldest: { createdAt: number; attempts: number },
  ): Promise<boolean> {
    const key = `${subscriber.kind} ${subscriber.id}`;
    const share = Math.max(backlog.count / maxBacklogBlocks, (now() - oldest.createdAt) / maxBacklogMs);
    if (share < 0.5) reported.delete(key);
    else if (!reported.has(key)) {
      reported.add(key);
      const findings = [lateFinding(subscriber, backlog)];
      await context.runUnlessStopped(() => commitInPlace(context, createWrites({ findings })));
    }
    // A subscriber that waits only because the nodes do not have the block stays on.
    if (share < 1 || oldest.attempts > 0) return false;
    await context.runUnlessStopped(() => switchOff(subscriber, backlog));
    return true;
  }

  async function switchOff(subscriber: Subscriber, backlog: DeferredBacklog): Promise<void> {
    const time = now();
    const reason = `its scripts need more time than its tenant has a share of, and it is ${backlog.count} blocks behind`;
    const fault = { subscriber, message: reason, at: time };
    await alerts.prepare([faultFinding(fault)]);
    await alerts.commit(chain.uid, async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      const notice = await switchOffSubscriber(tx, context.auditKeys, {
        subscriber,
        reason,
        at: time,
        now: time,
      });
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

  /** Deletes the evaluations of a subscriber that is no longer active. */
  function drop(backlog: DeferredBacklog): Promise<void> {
    return context.runUnlessStopped(async () => {
      await store.transaction(async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        await dropDeferred(tx, chain.uid, backlog);
      });
      deferrals.drop(backlog);
    });
  }

  return { check, drop, removeSwitchedOff };
}

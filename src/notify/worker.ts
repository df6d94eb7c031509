import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCoalescedLoop } from '../lib/createCoalescedLoop.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Store } from '../store/db.ts';
import { type Claimed, claimDeliveries, releaseDeliveries } from '../store/destinations/claimDeliveries.ts';
import { giveUpDeliveries } from '../store/destinations/giveUpDeliveries.ts';
import { findTargets, openTarget, type SealedTarget } from '../store/destinations/targets.ts';
import type { Keyring } from '../store/keyring.ts';
import type { Notifier } from './createNotifier.ts';
import { createHostLoad } from './hostLoad.ts';
import { mailsAtOnce } from './mailer.ts';
import type { SendOutcome, Target } from './sender.ts';
import { createSettler } from './settler.ts';
import { toResult } from './toResult.ts';

type Options = {
  store: Store;
  keyring: Keyring;
  notifier: Notifier;
  /** Hears that there may be something to send. */
  listen: (heard: () => void) => () => Promise<void>;
  /** Counts a message that got through. */
  delivered: (type: Target['type'], tenantId: number) => void;
  now: () => number;
  /** Between 0 and 1. */
  random: () => number;
  onError: (error: unknown) => void;
};

/** Attempts under way at once in this process. */
const mostAtOnce = 1000;
const pollMs = 1000;
const giveUpEveryMs = 60_000;
/** No kind of destination may take longer; shorter than a lease. */
const timeLimitMs = 25_000;
/** How long attempts under way may go on when Vigil stops. */
const graceMs = 5000;

/** Sends what is due, from this moment on. Any number of processes may do so side by side. */
export function startWorker(options: Options): { stop(): Promise<void> } {
  const { store, keyring, notifier, now, random, onError } = options;
  const { wake: giveUp, stop: stopGivingUp } = createCoalescedLoop(
    () => giveUpDeliveries(store, now()),
    onError,
  );
  const settler = createSettler({ store, keys: keyring.audit, now, onDisabled: giveUp, onError });
  const busy = new Map<number, number>();
  const hosts = createHostLoad();
  let mails = 0;
  const running = new Set<Promise<void>>();
  const breakingOff = new AbortController();
  setMaxListeners(mostAtOnce, breakingOff.signal);
  const { wake, stop: stopLooking } = createCoalescedLoop(take, onError);

  async function take(): Promise<void> {
    const most = mostAtOnce - running.size;
    if (most <= 0) return;
    const hasMail = notifier.has('EMAIL');
    const limits = { now: now(), busy: hosts.busyWith(busy), most, mostMails: mailsAtOnce - mails, hasMail };
    const claimed = await claimDeliveries(store, limits);
    if (claimed.length === 0) return;
    const batches = toBatches(claimed);
    const ids = new Set(claimed.map(({ destinationId }) => destinationId));
    const targets = new Map((await findTargets(store, [...ids])).map((target) => [target.id, target]));
    const left: Claimed[] = [];
    for (const batch of batches) {
      const target = targets.get(batch[0].destinationId)!;
      if (hosts.hasRoom(target)) start(batch, target);
      else left.push(...batch);
    }
    if (left.length > 0) await releaseDeliveries(store, left);
  }

  function start(batch: Batch, sealed: SealedTarget): void {
    const id = sealed.id;
    busy.set(id, (busy.get(id) ?? 0) + 1);
    const mail = sealed.type === 'EMAIL' ? 1 : 0;
    mails += mail;
    const leaveHost = hosts.enter(sealed);
    const work = attempt(batch, sealed)
      .catch(onError)
      .finally(() => {
        running.delete(work);
        mails -= mail;
        leaveHost();
        const left = busy.get(id)! - 1;
        if (left > 0) busy.set(id, left);
        else busy.delete(id);
        wake();
      });
    running.add(work);
  }

  async function attempt(batch: Batch, sealed: SealedTarget): Promise<void> {
    const at = now();
    const begun = performance.now();
    const outcome = await send(batch, sealed, at);
    // What Vigil itself broke off or never began says nothing about the receiver.
    if (!outcome.ok && (outcome.unsent || breakingOff.signal.aborted)) return releaseDeliveries(store, batch);
    const durationMs = Math.round(performance.now() - begun);
    const tried = { at, durationMs, now: now(), chance: random() };
    await settler.settle(batch.map((delivery) => toResult(delivery, outcome, tried)));
    if (outcome.ok) for (const _ of batch) options.delivered(sealed.type, sealed.tenantId);
  }

  async function send(batch: Batch, sealed: SealedTarget, at: number): Promise<SendOutcome> {
    try {
      const target = await openTarget(keyring, sealed, at);
      return await withTimeLimit(breakingOff.signal, timeLimitMs, (signal) =>
        notifier.send(target, batch, signal),
      );
    } catch (error) {
      onError(error);
      return { ok: false, error: 'Vigil failed to send; its log says more.' };
    }
  }

  const unlisten = options.listen(wake);
  const timer = setInterval(wake, pollMs);
  const givingUp = setInterval(giveUp, giveUpEveryMs);
  wake();
  giveUp();

  return {
    /** What is under way is finished, or broken off and left to be sent again. */
    async stop() {
      const looked = stopLooking();
      clearInterval(timer);
      clearInterval(givingUp);
      await unlisten();
      await looked;
      const all = Promise.all(running);
      await Promise.race([all, sleep(graceMs, undefined, { ref: false })]);
      breakingOff.abort();
      settler.stop();
      await Promise.all(running);
      await stopGivingUp();
    },
  };
}

type Batch = readonly [Claimed, ...Claimed[]];

/** Mails and chat messages tell of everything that is due; webhooks of one thing each. */
function toBatches(claimed: readonly Claimed[]): Batch[] {
  const grouped = new Map<number, [Claimed, ...Claimed[]]>();
  const single: Batch[] = [];
  for (const delivery of claimed) {
    if (!delivery.isGrouped) single.push([delivery]);
    else if (grouped.has(delivery.destinationId)) grouped.get(delivery.destinationId)!.push(delivery);
    else grouped.set(delivery.destinationId, [delivery]);
  }
  return [...single, ...grouped.values()];
}

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { destinationKinds, isMailed, typesWith } from '../destinations/destinationKinds.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { startPoller } from '../lib/startPoller.ts';
import { settleWithin, withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Keyring } from '../model/keyring.ts';
import type { AddActionLinks, EarlierMessage, Message, SendOutcome, Target } from '../model/notification.ts';
import type { Store } from '../store/db/db.ts';
import { pollDue } from '../store/db/pollDue.ts';
import { canaryDestination } from '../store/destinations/canary.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  isDeliveryDue,
  releaseDeliveries,
} from '../store/destinations/claimDeliveries.ts';
import { deadLetterDeliveries } from '../store/destinations/deadLetterDeliveries.ts';
import { endTurn, takeTurn } from '../store/destinations/deliveryTurns.ts';
import { findIncidentMessages, findIncidentStory } from '../store/destinations/incidentMessages.ts';
import { findTargets, openTarget, type SealedTarget } from '../store/destinations/targets.ts';
import { withCurrentState } from '../store/destinations/withCurrentState.ts';
import { createHostLoad } from './createHostLoad.ts';
import type { Notifier } from './createNotifier.ts';
import { createSettler } from './createSettler.ts';
import { maxConcurrentMails } from './mailConnections.ts';
import { type Batch, planBatches } from './planBatches.ts';
import { toAttemptResult } from './toAttemptResult.ts';

type Options = {
  store: Store;
  keyring: Keyring;
  notifier: Notifier;
  /** Subscribes to notifications of new deliveries. */
  listen: (onNotify: () => void) => () => Promise<void>;
  /** Links by which readers act; none are added without it. */
  addLinks?: AddActionLinks | undefined;
  /** Counts a message that got through. */
  onDelivered: (type: Target['type'], tenantId: number) => void;
  now: () => number;
  /** Between 0 and 1. */
  random: () => number;
  onError: (error: unknown) => void;
};

/** Attempts under way at once in this process. */
const maxConcurrentAttempts = 1000;
const deadLetterEveryMs = 60_000;
/** No attempt may take longer; shorter than the lease of a delivery. */
const attemptTimeoutMs = 25_000;
/** Wait before a process asks again for a destination to which another one sends. */
const turnPollSeconds = 0.5;
/** Time for running attempts to end when Vigil stops. */
const stopGraceMs = 5000;

/** Sends due deliveries until it is stopped. Any number of processes may run it side by side. */
export function startDeliveryWorker(options: Options): Stoppable {
  const { store, keyring, notifier, now, random, onError } = options;
  const deadLettering = startPoller(() => deadLetterDeliveries(store, now()), {
    everyMs: deadLetterEveryMs,
    onError,
  });
  const settler = createSettler({
    store,
    keys: keyring.audit,
    now,
    onDisabled: deadLettering.wake,
    onError,
  });
  const busy = new Map<number, number>();
  const hosts = createHostLoad();
  let mails = 0;
  const running = new Set<Promise<void>>();
  const aborting = new AbortController();
  setMaxListeners(maxConcurrentAttempts, aborting.signal);

  async function claim(): Promise<void> {
    const limit = maxConcurrentAttempts - running.size;
    if (limit <= 0) return;
    const hasMail = typesWith(isMailed).some((type) => notifier.has(type));
    const limits = {
      now: now(),
      busy: hosts.busyWith(busy),
      limit,
      mailLimit: maxConcurrentMails - mails,
      hasMail,
    };
    const claimed = await claimDeliveries(store, limits);
    for (const canary of claimed) if (canary.destinationId === canaryDestination) settleCanary(canary);
    const deliveries = claimed.filter(({ destinationId }) => destinationId !== canaryDestination);
    if (deliveries.length === 0) return;
    const ids = new Set(deliveries.map(({ destinationId }) => destinationId));
    const targets = new Map((await findTargets(store, [...ids])).map((target) => [target.id, target]));
    const { batches, later: unsent } = planBatches(
      deliveries,
      (id) => targets.get(id)?.type,
      await findIncidentMessages(store, deliveries.flatMap(toIncidentKey)),
    );
    for (const batch of batches) {
      const [{ destinationId }] = batch.deliveries;
      const target = targets.get(destinationId);
      if (!target) throw new Error(`The destination ${destinationId} does not exist.`);
      if (hosts.hasRoom(target)) start(batch, target);
      else unsent.push(...batch.deliveries);
    }
    if (unsent.length > 0) await releaseDeliveries(store, unsent);
  }

  function start(batch: Batch, sealed: SealedTarget): void {
    const id = sealed.id;
    busy.set(id, (busy.get(id) ?? 0) + 1);
    const mail = isMailed(destinationKinds[sealed.type]) ? 1 : 0;
    mails += mail;
    const leaveHost = hosts.enter(sealed);
    const work = attemptInTurn(batch, sealed)
      .catch(onError)
      .finally(() => {
        running.delete(work);
        mails -= mail;
        leaveHost();
        const remaining = (busy.get(id) ?? 0) - 1;
        if (remaining > 0) busy.set(id, remaining);
        else busy.delete(id);
        poller.wake();
      });
    running.add(work);
  }

  /** Sent to no one: that its outcome is written shows that deliveries move. */
  function settleCanary(canary: ClaimedDelivery): void {
    const at = now();
    const result = toAttemptResult(canary, { ok: true }, { at, durationMs: 0, now: at, chance: 0 });
    const work = settler
      .settle([result])
      .catch(onError)
      .finally(() => running.delete(work));
    running.add(work);
  }

  /** At a destination that keeps states, one message at a time is under way from all processes, so that the newest state arrives last. */
  async function attemptInTurn(batch: Batch, sealed: SealedTarget): Promise<void> {
    if (!destinationKinds[sealed.type].keepsStateOf) return attempt(batch, sealed);
    const holder = randomUUID();
    if (!(await takeTurn(store, sealed.id, holder)))
      return releaseDeliveries(store, batch.deliveries, turnPollSeconds);
    try {
      await attempt(batch, sealed);
    } finally {
      await endTurn(store, sealed.id, holder);
    }
  }

  async function attempt(batch: Batch, sealed: SealedTarget): Promise<void> {
    const at = now();
    const startedAt = performance.now();
    const outcome = await send(batch, sealed, at);
    // An attempt that Vigil aborted or never started says nothing about the receiver.
    const { deliveries } = batch;
    if (!outcome.ok && (outcome.unsent || aborting.signal.aborted))
      return releaseDeliveries(store, deliveries);
    const durationMs = Math.round(performance.now() - startedAt);
    const tried = { at, durationMs, now: now(), chance: random() };
    await settler.settle(deliveries.map((delivery) => toAttemptResult(delivery, outcome, tried)));
    if (outcome.ok) for (const _ of deliveries) options.onDelivered(sealed.type, sealed.tenantId);
  }

  async function send(batch: Batch, sealed: SealedTarget, at: number): Promise<SendOutcome> {
    try {
      const target = await openTarget(keyring, sealed, at);
      const earlier = await readEarlier(batch, target, at);
      const { keepsStateOf } = destinationKinds[target.type];
      const messages = keepsStateOf
        ? await withCurrentState(store, batch.deliveries, keepsStateOf)
        : batch.deliveries;
      return await withTimeLimit(aborting.signal, attemptTimeoutMs, (signal) =>
        notifier.send(target, withLinks(target, messages), signal, earlier),
      );
    } catch (error) {
      onError(error);
      return { ok: false, error: 'Vigil failed to send; see its log.' };
    }
  }

  async function readEarlier(
    { earlier }: Batch,
    target: Target,
    at: number,
  ): Promise<EarlierMessage | undefined> {
    if (!earlier) return undefined;
    const { ref, isNews, isEdit } = earlier;
    if (!isEdit) return { ref, isNews };
    const { messages, total } = await findIncidentStory(store, earlier, at);
    return { ref, isNews, grown: { messages: withLinks(target, messages), total } };
  }

  function withLinks(target: Target, messages: readonly Message[]): readonly Message[] {
    const { addLinks } = options;
    return addLinks ? messages.map((message) => addLinks(target, message)) : messages;
  }

  const poller = startPoller(claim, {
    whenDue: (wake) => pollDue(store, () => isDeliveryDue(now()), wake),
    listen: options.listen,
    onError,
  });
  poller.wake();
  deadLettering.wake();

  return {
    /** Waits for the attempts under way, then aborts them; their messages are sent again. */
    async stop() {
      await poller.stop();
      await settleWithin(stopGraceMs, Promise.all(running), () => undefined);
      aborting.abort();
      settler.stop();
      await Promise.all(running);
      await deadLettering.stop();
    },
  };
}

/** Webhooks get every message by itself. */
function toIncidentKey({ isGrouped, tenantId, destinationId, incidentUid }: ClaimedDelivery) {
  return isGrouped && incidentUid ? [{ tenantId, destinationId, incidentUid }] : [];
}

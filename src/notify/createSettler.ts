import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationType, destinationKinds, isBoundByChat } from '../destinations/destinationKinds.ts';
import type { AuditKeys } from '../lib/auditKey.ts';
import { createFairQueue } from '../lib/createFairQueue.ts';
import type { Db, Store } from '../store/db/db.ts';
import { disableDestination, type Health, recordHealth } from '../store/destinations/destinationHealth.ts';
import { type IncidentMessage, saveIncidentMessages } from '../store/destinations/incidentMessages.ts';
import { insertDeliveries } from '../store/destinations/insertDeliveries.ts';
import { findOtherDestinations } from '../store/destinations/recipients.ts';
import { type SettledDelivery, settleDeliveries } from '../store/destinations/settleDeliveries.ts';
import { failOver } from '../store/onCall/steps.ts';
import { appendAudit } from '../store/records/audit.ts';

/** `isGone`: the receiver no longer exists. `pausedUntil`: it accepts nothing before. */
export type AttemptResult = SettledDelivery & {
  isGone: boolean;
  pausedUntil: number | null;
  /** The message about its incident that the destination has now. */
  sent?: Pick<IncidentMessage, 'incidentUid' | 'ref' | 'numericSeverity'>;
};

type Options = {
  store: Store;
  /** Of the audit log. */
  keys: AuditKeys;
  now: () => number;
  /** A destination was disabled, so its pending deliveries are dead. */
  onDisabled: () => void;
  onError: (error: unknown) => void;
};

type Waiting = { results: readonly AttemptResult[]; done: () => void };

/** A destination to which no message got through for this long is disabled. */
const maxFailingMs = 5 * 24 * 3_600_000;
const retryMs = 1000;
/** Concurrent transactions of results that could not be written together. */
const maxSingleWrites = 2;

/**
 * Writes all waiting results in one transaction, or singly if that fails. Keeps them while the store fails, because a
 * lost result delivers twice.
 */
export function createSettler({ store, keys, now, onDisabled, onError }: Options) {
  const queue = createFairQueue({ slots: maxSingleWrites });
  let waiting: Waiting[] = [];
  let isWriting = false;
  let isStopped = false;

  async function writeAll(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const isWritten = await write(batch.flatMap(({ results }) => results));
      for (const one of batch) {
        if (isWritten) one.done();
        else void writeSingly(one);
      }
    }
    isWriting = false;
  }

  async function writeSingly({ results, done }: Waiting): Promise<void> {
    for (let isDone = false; !isDone; )
      isDone = await queue.run('', async () => {
        if (isStopped || (await write(results))) return true;
        await sleep(retryMs);
        return false;
      });
    done();
  }

  async function write(results: readonly AttemptResult[]): Promise<boolean> {
    try {
      if (await store.transaction((tx) => writeResults(tx, keys, results, now()))) onDisabled();
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  return {
    settle(results: readonly AttemptResult[]): Promise<void> {
      return new Promise((done) => {
        waiting.push({ results, done });
        void writeAll();
      });
    },
    /** From now on results that cannot be written are dropped, and their messages are sent again. */
    stop(): void {
      isStopped = true;
    },
  };
}

/** Returns whether a destination was disabled. */
async function writeResults(
  tx: Db,
  keys: AuditKeys,
  results: readonly AttemptResult[],
  now: number,
): Promise<boolean> {
  await settleDeliveries(tx, results, now);
  await failOver(
    tx,
    results.filter(({ isDelivered }) => !isDelivered),
    now,
  );
  await saveIncidentMessages(
    tx,
    results.flatMap(({ tenantId, destinationId, sent }) =>
      sent ? [{ tenantId, destinationId, ...sent }] : [],
    ),
    now,
  );
  const failing = await recordHealth(tx, toHealth(results), now);
  const goneResults = new Map(
    results.filter(({ isGone }) => isGone).map((result) => [result.destinationId, result]),
  );
  let isDisabled = false;
  for (const destination of failing) {
    const last = goneResults.get(destination.id);
    const isTooLong = now - destination.failingSince >= maxFailingMs;
    if (!last && !isTooLong) continue;
    await disable(
      tx,
      keys,
      destination,
      last ? (last.error ?? 'The receiver no longer exists.') : tooLongText,
      now,
    );
    isDisabled = true;
  }
  return isDisabled;
}

const tooLongText = 'No message got through for five days.';

/** One entry for each destination: a success outweighs failures, and the longest pause counts. */
function toHealth(results: readonly AttemptResult[]): Health[] {
  const seen = new Map<number, Health>();
  for (const { tenantId, destinationId: id, isDelivered, pausedUntil } of results) {
    const health = seen.get(id) ?? { tenantId, id, isDelivered, pausedUntil };
    seen.set(id, {
      ...health,
      isDelivered: isDelivered || health.isDelivered,
      pausedUntil: pausedUntil === null ? health.pausedUntil : Math.max(pausedUntil, health.pausedUntil ?? 0),
    });
  }
  return [...seen.values()].sort((left, right) => left.id - right.id);
}

async function disable(
  tx: Db,
  keys: AuditKeys,
  destination: { tenantId: number; id: number; type: DestinationType; failingSince: number },
  reason: string,
  now: number,
): Promise<void> {
  const { tenantId, id, type, failingSince } = destination;
  if (!(await disableDestination(tx, destination, reason, now))) return;
  const advice = isBoundByChat(destinationKinds[type])
    ? { advice: 'Or bind a chat again: send the new `uid` there.' }
    : {};
  const data = { destinationId: id, destinationType: type, reason, failingSince, ...advice };
  const destinationIds = await findOtherDestinations(tx, tenantId, id);
  await insertDeliveries(tx, [{ tenantId, type: 'destination.disabled', data, destinationIds }], now);
  await appendAudit(tx, keys, {
    at: now,
    requestId: '',
    tenantId,
    actor: { tokenId: null, tokenKind: 'SYSTEM', userId: null },
    action: 'destination.disable',
    record: { kind: 'destination', id },
    changes: { status: { before: 'ACTIVE', after: 'DISABLED' }, reason },
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditKeys } from '../lib/auditKey.ts';
import { createFairQueue } from '../lib/createFairQueue.ts';
import type { Db, Store } from '../store/db.ts';
import { disableDestination, type Health, noteHealth } from '../store/destinations/destinationHealth.ts';
import { insertDeliveries } from '../store/destinations/insertDeliveries.ts';
import { findOtherDestinations } from '../store/destinations/recipients.ts';
import { type Settled, settleDeliveries } from '../store/destinations/settleDeliveries.ts';
import { appendAudit } from '../store/records/audit.ts';

/** `isGone`: the receiver wants nothing any more. `pausedUntil`: it wants nothing before. */
export type Result = Settled & { isGone: boolean; pausedUntil: number | null };

type Options = {
  store: Store;
  /** Of the audit log. */
  keys: AuditKeys;
  now: () => number;
  /** A destination was disabled, so that what waits for it is to be given up. */
  onDisabled: () => void;
  onError: (error: unknown) => void;
};

type Waiting = { results: readonly Result[]; done: () => void };

const fiveDays = 5 * 24 * 3_600_000;
const againMs = 1000;
/** Transactions under way at once of what could not be written together. */
const aloneAtOnce = 2;

/**
 * Writes what attempts came to, as many in one transaction as there are; what cannot be written together is written one by
 * one, so that nothing holds back the rest. While the store is away all is kept, because an attempt that is forgotten would
 * be made again.
 */
export function createSettler({ store, keys, now, onDisabled, onError }: Options) {
  const queue = createFairQueue({ slots: aloneAtOnce });
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
        else void writeAlone(one);
      }
    }
    isWriting = false;
  }

  async function writeAlone({ results, done }: Waiting): Promise<void> {
    for (let isOver = false; !isOver; )
      isOver = await queue.run('', async () => {
        if (isStopped || (await write(results))) return true;
        await sleep(againMs);
        return false;
      });
    done();
  }

  async function write(results: readonly Result[]): Promise<boolean> {
    try {
      if (await store.transaction((tx) => writeResults(tx, keys, results, now()))) onDisabled();
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  return {
    settle(results: readonly Result[]): Promise<void> {
      return new Promise((done) => {
        waiting.push({ results, done });
        void writeAll();
      });
    },
    /** From now on what cannot be written is left to be sent again. */
    stop(): void {
      isStopped = true;
    },
  };
}

/** Whether a destination was disabled. */
async function writeResults(
  tx: Db,
  keys: AuditKeys,
  results: readonly Result[],
  now: number,
): Promise<boolean> {
  await settleDeliveries(tx, results, now);
  const failing = await noteHealth(tx, toHealth(results), now);
  const gone = new Map(
    results.filter(({ isGone }) => isGone).map((result) => [result.destinationId, result]),
  );
  let isDisabled = false;
  for (const destination of failing) {
    const last = gone.get(destination.id);
    const isTooLong = now - destination.failingSince >= fiveDays;
    if (!last && !isTooLong) continue;
    await disable(tx, keys, destination, last ? (last.error ?? 'The receiver is gone.') : tooLong, now);
    isDisabled = true;
  }
  return isDisabled;
}

const tooLong = 'Nothing got through for five days.';

/** One word for each destination: that something got through outweighs what did not, and the longest pause counts. */
function toHealth(results: readonly Result[]): Health[] {
  const seen = new Map<number, Health>();
  for (const { tenantId, destinationId: id, isDelivered, pausedUntil } of results) {
    const known = seen.get(id) ?? { tenantId, id, isDelivered, pausedUntil };
    seen.set(id, {
      ...known,
      isDelivered: isDelivered || known.isDelivered,
      pausedUntil: pausedUntil === null ? known.pausedUntil : Math.max(pausedUntil, known.pausedUntil ?? 0),
    });
  }
  return [...seen.values()].sort((one, other) => one.id - other.id);
}

async function disable(
  tx: Db,
  keys: AuditKeys,
  destination: { tenantId: number; id: number; type: string; failingSince: number },
  reason: string,
  now: number,
): Promise<void> {
  const { tenantId, id, type, failingSince } = destination;
  if (!(await disableDestination(tx, destination, reason, now))) return;
  const data = { destinationId: id, destinationType: type, reason, failingSince };
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

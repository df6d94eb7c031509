import { setTimeout as sleep } from 'node:timers/promises';
import { appendAudit } from '../store/audit.ts';
import type { Db, Store } from '../store/db.ts';
import { disableDestination, noteHealth } from '../store/deliveries/destinationHealth.ts';
import { insertDeliveries } from '../store/deliveries/insertDeliveries.ts';
import { findOtherDestinations } from '../store/deliveries/recipients.ts';
import { type Settled, settleDeliveries } from '../store/deliveries/settleDeliveries.ts';

/** `isGone`: the receiver wants nothing any more. */
export type Result = Settled & { isGone: boolean };

type Options = { store: Store; now: () => number; onError: (error: unknown) => void };

const fiveDays = 5 * 24 * 3_600_000;
const againMs = 1000;

/**
 * Writes what attempts came to, as many in one transaction as there are. While the store is away they are kept, because an
 * attempt that is forgotten would be made again.
 */
export function createSettler({ store, now, onError }: Options) {
  let waiting: Result[] = [];
  let writing: Promise<void> | undefined;
  let isStopped = false;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await store.transaction((tx) => writeResults(tx, batch, now()));
      } catch (error) {
        onError(error);
        if (isStopped) return;
        waiting = [...batch, ...waiting];
        await sleep(againMs);
      }
    }
  }

  return {
    async settle(results: readonly Result[]): Promise<void> {
      waiting.push(...results);
      // The one that is being written has left without these.
      await writing;
      writing ??= write().finally(() => {
        writing = undefined;
      });
      await writing;
    },
    /** From now on what cannot be written is left to be sent again. */
    stop(): void {
      isStopped = true;
    },
  };
}

async function writeResults(tx: Db, results: readonly Result[], now: number): Promise<void> {
  await settleDeliveries(tx, results, now);
  const failing = await noteHealth(tx, toHealth(results), now);
  const gone = new Map(
    results.filter(({ isGone }) => isGone).map((result) => [result.destinationId, result]),
  );
  for (const destination of failing) {
    const last = gone.get(destination.id);
    const isTooLong = now - destination.failingSince >= fiveDays;
    if (last) await disable(tx, destination, last.error ?? 'The receiver is gone.', now);
    else if (isTooLong) await disable(tx, destination, 'Nothing got through for five days.', now);
  }
}

/** One word for each destination: that something got through outweighs what did not. */
function toHealth(results: readonly Result[]) {
  const seen = new Map<number, { tenantId: number; id: number; isDelivered: boolean }>();
  for (const { tenantId, destinationId: id, isDelivered } of results)
    seen.set(id, { tenantId, id, isDelivered: isDelivered || (seen.get(id)?.isDelivered ?? false) });
  return [...seen.values()].sort((one, other) => one.id - other.id);
}

async function disable(
  tx: Db,
  destination: { tenantId: number; id: number; type: string; failingSince: number },
  reason: string,
  now: number,
): Promise<void> {
  const { tenantId, id, type, failingSince } = destination;
  if (!(await disableDestination(tx, destination, reason, now))) return;
  const data = { destinationId: id, destinationType: type, reason, failingSince };
  const destinationIds = await findOtherDestinations(tx, tenantId, id);
  await insertDeliveries(tx, [{ tenantId, type: 'destination.disabled', data, destinationIds }], now);
  await appendAudit(tx, {
    at: now,
    requestId: '',
    tenantId,
    actor: { tokenId: null, tokenKind: 'SYSTEM', userId: null },
    action: 'destination.disable',
    record: { kind: 'destination', id },
    changes: { status: { before: 'ACTIVE', after: 'DISABLED' }, reason },
  });
}

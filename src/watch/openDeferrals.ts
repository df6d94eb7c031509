import type { SubscriberRef } from '../matching/subscriber.ts';
import type { Db } from '../store/db.ts';
import { type Backlog, type DeferredRow, listBacklogs } from '../store/watch/deferred.ts';
import { listFaultySubscribers } from '../store/watch/faults.ts';

export type Deferrals = Awaited<ReturnType<typeof openDeferrals>>;

type Key = Pick<SubscriberRef, 'kind' | 'id'> | { kind: string; id: number };

/** Which detectors and triggers of a chain have blocks that they are yet to be shown, and which are slow. */
export async function openDeferrals(db: Db, chainUid: string) {
  let backlogs = await readBacklogs(db, chainUid);
  const slow = new Set(
    (await listFaultySubscribers(db, chainUid)).filter(({ looped }) => looped > 0).map(keyOf),
  );
  let epoch = 0;

  return {
    /** Why a block must be deferred without being looked at: the order of its blocks is kept. Undefined: it need not be. */
    reasonFor(subscriber: Key): string | undefined {
      if (backlogs.has(keyOf(subscriber))) return 'order';
      return slow.has(keyOf(subscriber)) ? 'slow script' : undefined;
    },
    /** Called with rows that were written. */
    add(rows: readonly DeferredRow[], now: number): void {
      for (const { kind, id, tenantId } of rows) {
        const known = backlogs.get(keyOf({ kind, id }));
        if (known) known.count += 1;
        else
          backlogs.set(keyOf({ kind, id }), {
            kind,
            id,
            tenantId,
            count: 1,
            oldestAt: now,
            nextAttemptAt: now,
          });
      }
    },
    /** One block of the subscriber was evaluated. */
    complete(subscriber: Key): void {
      const known = backlogs.get(keyOf(subscriber));
      if (!known) return;
      known.count -= 1;
      if (known.count === 0) backlogs.delete(keyOf(subscriber));
    },
    drop(subscriber: Key): void {
      backlogs.delete(keyOf(subscriber));
      slow.delete(keyOf(subscriber));
    },
    /** What loops is no longer evaluated along with its block until it has come through once. */
    setSlow(subscriber: Key, isSlow: boolean): void {
      if (isSlow) slow.add(keyOf(subscriber));
      else slow.delete(keyOf(subscriber));
    },
    delay(subscriber: Key, until: number): void {
      const known = backlogs.get(keyOf(subscriber));
      if (known) known.nextAttemptAt = until;
    },
    due: (now: number): Backlog[] =>
      [...backlogs.values()].filter(({ nextAttemptAt }) => nextAttemptAt <= now),
    has: (subscriber: Key) => backlogs.has(keyOf(subscriber)),
    /** Changes whenever rows may have gone or changed otherwise than one by one. */
    epoch: () => epoch,
    async reload(): Promise<void> {
      epoch += 1;
      backlogs = await readBacklogs(db, chainUid);
    },
  };
}

async function readBacklogs(db: Db, chainUid: string): Promise<Map<string, Backlog>> {
  return new Map((await listBacklogs(db, chainUid)).map((backlog) => [keyOf(backlog), backlog]));
}

function keyOf({ kind, id }: Key): string {
  return `${kind} ${id}`;
}

import type { DeferralReason } from '../../matching/evaluateMatches.ts';
import type { Db } from '../../store/db/db.ts';
import { type DeferredBacklog, type DeferredRow, listBacklogs } from '../../store/watch/deferred.ts';
import { listFaultySubscribers } from '../../store/watch/faults.ts';

export type Deferrals = Awaited<ReturnType<typeof openDeferrals>>;

type Key = { kind: string; id: number };

/** Tracks the subscribers of a chain that have deferred evaluations, and those with slow scripts. */
export async function openDeferrals(db: Db, chainUid: string) {
  let backlogs = await readBacklogs(db, chainUid);
  const slow = new Set(
    (await listFaultySubscribers(db, chainUid)).filter(({ looped }) => looped > 0).map(keyOf),
  );
  let epoch = 0;

  return {
    /**
     * The reason to defer the subscriber's block unevaluated, which keeps its blocks in order; undefined if it need not
     * be deferred.
     */
    reasonFor(subscriber: Key): DeferralReason | undefined {
      const backlog = backlogs.get(keyOf(subscriber));
      if (backlog) return backlog.waitsForReads ? 'read' : 'order';
      return slow.has(keyOf(subscriber)) ? 'slow script' : undefined;
    },
    /** Adds rows that were written. */
    add(rows: readonly DeferredRow[], now: number): void {
      for (const { kind, id, tenantId, reason } of rows) {
        const backlog = backlogs.get(keyOf({ kind, id }));
        if (backlog) {
          backlog.count += 1;
          backlog.waitsForReads ||= reason === 'read';
        } else
          backlogs.set(keyOf({ kind, id }), {
            kind,
            id,
            tenantId,
            count: 1,
            oldestAt: now,
            nextAttemptAt: now,
            waitsForReads: reason === 'read',
          });
      }
    },
    /** One block of the subscriber was evaluated. */
    complete(subscriber: Key): void {
      const backlog = backlogs.get(keyOf(subscriber));
      if (!backlog) return;
      backlog.count -= 1;
      if (backlog.count === 0) backlogs.delete(keyOf(subscriber));
    },
    drop(subscriber: Key): void {
      backlogs.delete(keyOf(subscriber));
      slow.delete(keyOf(subscriber));
    },
    /** A slow script is evaluated apart from its block until it succeeds once. */
    setSlow(subscriber: Key, isSlow: boolean): void {
      if (isSlow) slow.add(keyOf(subscriber));
      else slow.delete(keyOf(subscriber));
    },
    delay(subscriber: Key, until: number): void {
      const backlog = backlogs.get(keyOf(subscriber));
      if (backlog) backlog.nextAttemptAt = until;
    },
    due: (now: number): DeferredBacklog[] =>
      [...backlogs.values()].filter(({ nextAttemptAt }) => nextAttemptAt <= now),
    has: (subscriber: Key) => backlogs.has(keyOf(subscriber)),
    /** Changes whenever rows may have changed otherwise than one by one. */
    epoch: () => epoch,
    async reload(): Promise<void> {
      epoch += 1;
      backlogs = await readBacklogs(db, chainUid);
    },
  };
}

async function readBacklogs(db: Db, chainUid: string): Promise<Map<string, DeferredBacklog>> {
  return new Map((await listBacklogs(db, chainUid)).map((backlog) => [keyOf(backlog), backlog]));
}

function keyOf({ kind, id }: Key): string {
  return `${kind} ${id}`;
}

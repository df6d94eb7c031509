import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow, type Store } from './db.ts';

const intervalMs = 250;
/** Older answers than this come from the primary. */
const maxAgeMs = 5000;

/** A replica with everything that was committed before `asOf`. */
type Replica = { store: Store; asOf: number | undefined };

export type Replicas = ReturnType<typeof openReplicas>;

/**
 * Read-only servers behind the primary. The age of their answers is measured by this process's clock: the primary's log
 * position is recorded four times a second, and a replica past it has everything before.
 */
export function openReplicas(options: { primary: Db; replicas: readonly Store[]; now: () => number }) {
  const { primary, now } = options;
  const stopping = new AbortController();
  const replicas: Replica[] = options.replicas.map((store) => ({ store, asOf: undefined }));
  /** The newest last. */
  const positions: { at: number; lsn: number }[] = [];
  /** Time of each writer's last change through this process. */
  const wroteAt = new Map<string, number>();
  let turn = 0;

  const repeat = async (work: () => Promise<void>) => {
    while (!stopping.signal.aborted) {
      await work();
      await sleep(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  async function notePrimary(): Promise<void> {
    const moment = now();
    try {
      const { lsn } = onlyRow(
        await primary.prepared<{ lsn: number }>(
          sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as lsn`,
        ),
      );
      positions.push({ at: moment, lsn });
    } catch {
      // Without the primary the age of a replica is unknown; what was noted so far ages.
    }
    while (positions.length > 0 && positions[0]!.at < moment - 2 * maxAgeMs) positions.shift();
    for (const [writer, time] of wroteAt) if (time < moment - maxAgeMs) wroteAt.delete(writer);
  }

  async function noteReplica(replica: Replica): Promise<void> {
    try {
      const [row] = await replica.store.prepared<{ lsn: number | null }>(
        sql`select case when pg_is_in_recovery()
          then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint end as lsn`,
      );
      const lsn = row?.lsn ?? undefined;
      replica.asOf =
        lsn === undefined ? undefined : positions.findLast((position) => position.lsn <= lsn)?.at;
    } catch {
      replica.asOf = undefined;
    }
  }

  const watching = Promise.all([
    repeat(notePrimary),
    ...replicas.map((replica) => repeat(() => noteReplica(replica))),
  ]);

  return {
    /** After a commit: what this writer reads from now on has it. */
    noteWrite(writer: string): void {
      wroteAt.set(writer, now());
    },
    /** The next replica that is not too old and knows all that the writer has changed; undefined: ask the primary. */
    choose(writer: string): { store: Store; ageMs: () => number } | undefined {
      const since = wroteAt.get(writer) ?? Number.NEGATIVE_INFINITY;
      const usable = replicas.flatMap(({ store, asOf }) =>
        asOf !== undefined && asOf > since && now() - asOf <= maxAgeMs && !store.isSilent?.()
          ? [{ store, ageMs: () => Math.ceil(now() - asOf) }]
          : [],
      );
      turn += 1;
      return usable[turn % usable.length];
    },
    /** Greatest age of answers of each replica, in the order of their settings; undefined where unknown. */
    ages: () => replicas.map(({ asOf }) => (asOf === undefined ? undefined : Math.ceil(now() - asOf))),
    async close() {
      stopping.abort();
      await watching;
      await Promise.all(replicas.map(({ store }) => store.close()));
    },
  };
}

import { type Sql, sql } from '../../lib/sql.ts';

/** The first numbers of the advisory locks of a process that lives, and of one that stops; the second is a hash of its holder. */
export const presenceLock = 5_654_856;
export const leavingLock = 5_654_857;

/** True if the session of a process that was present has ended. It locks nothing beyond the statement. */
export function hasEnded(process: Sql): Sql {
  return sql`pg_try_advisory_xact_lock_shared(${presenceLock}, hashtext(${process}))`;
}

/** True if a process has announced its stop. */
export function isLeaving(process: Sql): Sql {
  return sql`not pg_try_advisory_xact_lock_shared(${leavingLock}, hashtext(${process}))`;
}

const heldBy = (lock: number) =>
  sql`select objid::bigint as process from pg_locks where locktype = 'advisory' and classid = ${lock}
    and objsubid = 2 and mode = 'ExclusiveLock' and granted
    and database = (select oid from pg_database where datname = current_database())`;

/** The hashes of the processes that live and do not stop, in the column `process`. */
export const stayingProcesses = sql`${heldBy(presenceLock)} except ${heldBy(leavingLock)}`;

/** The hash of a holder as it is there. */
export function processHash(holder: string): Sql {
  return sql`hashtext(${holder})::bigint & 4294967295`;
}

/**
 * Advisory lock of the process that moves tables to workers, held while they change places. A question where tables are waits for
 * it, so that no session goes on with an answer from before.
 */
export const layoutLock = 7_305_114;

/** Waits for it and holds it no longer: a statement that follows sees what its holder has changed. */
export const awaitLayout = `select pg_advisory_lock_shared(${layoutLock}), pg_advisory_unlock_shared(${layoutLock})`;

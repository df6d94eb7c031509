import pg from 'pg';

/** The error of a statement for a worker alone that Citus did not send there. */
export const notSent = 'VG001';

/**
 * Whether Citus kept a statement that only a worker can run. It does so in a session in which planning a statement with parts has
 * once failed, until that session ends, and for a worker that lacks its metadata.
 */
export function isNotSent(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === notSent;
}

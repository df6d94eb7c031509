import pg from 'pg';

/** The error of a statement for a worker alone that Citus did not send there. */
export const notSent = 'VG001';

/**
 * True if Citus did not send a statement that only a worker can run. That happens in sessions where planning failed
 * once, and for workers without its metadata.
 */
export function isNotSent(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === notSent;
}

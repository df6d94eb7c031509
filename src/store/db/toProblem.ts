import pg from 'pg';
import { Problem } from '../../model/errors.ts';
import { NoPrimary } from './watchPrimary.ts';

/** Failures of the database itself become problems that the caller can retry; other errors stay as they are. */
export function toProblem(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    // FATAL ends the connection: the server refuses it or shuts down.
    const isDown =
      error.severity === 'FATAL' || /^(08|53|57P|58)/.test(code) || error.message.startsWith(coordinatorDied);
    if (isWorkerDown(error))
      return unavailable("The server with the tenant's alerts cannot be reached at the moment.", error);
    if (code === '53100')
      return unavailable('The disk of the database is full, so that nothing can be written.', error);
    if (code === '57014')
      return unavailable(
        'The database took longer than its time limit; send the request again later.',
        error,
      );
    if (isLockTimeout(error))
      return unavailable(
        'Another change of the same records takes long; send the request again later.',
        error,
      );
    return isDown || code === '25006'
      ? unavailable('The database cannot serve at the moment.', error)
      : error;
  }
  const isConnection =
    error instanceof NoPrimary ||
    (error instanceof AggregateError && 'code' in error) ||
    (error instanceof Error &&
      ('syscall' in error ||
        /Connection terminated|timeout exceeded when trying to connect|Client has encountered|Query read timeout/.test(
          error.message,
        )));
  return isConnection ? unavailable('The database cannot be reached at the moment.', error) : error;
}

/** True if a statement has waited too long for a lock, and not if it would not wait at all. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03' && error.routine === 'ProcessInterrupts';
}

/**
 * True if a coordinator of Citus lost a worker while its own connection is whole. A worker that dies under a statement
 * is an internal error there, recognised by its context.
 */
export function isWorkerDown(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL') return false;
  if (workerLost.test(error.message)) return true;
  const isRemote = /while executing command on/.test(error.where ?? '');
  return isRemote && /^(08|57P|XX000)/.test(error.code ?? '');
}

/** Errors of Citus before a statement reaches a worker, and at the commit there. */
const workerLost =
  /connection to the remote node|connection marked as essential|could not (commit transaction for shard|establish (any )?connections?|find an available connection|connect to any active placements)/;

/** Internal error that Citus reports when its own server is killed under a statement. */
const coordinatorDied = 'postmaster was shut down';

export function unavailable(detail: string, cause: unknown): Problem {
  return new Problem('unavailable', detail, { retryAfterSeconds: 2 }, { cause });
}

import pg from 'pg';
import { expect, it } from 'vitest';
import { isWorkerDown, toProblem } from './toProblem.ts';

function failure(message: string, members: Partial<pg.DatabaseError> = {}): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, 0, 'error'), {
    severity: 'ERROR',
    code: 'XX000',
    ...members,
  });
}

it.each([
  failure('connection to the remote node vigil@10.0.0.2:5432 failed'),
  failure('failure on connection marked as essential: 10.0.0.2:5432'),
  failure('could not commit transaction for shard 102012 on at least one active node'),
  failure('could not establish any connections to the node 10.0.0.2:5432 after 5000 ms'),
  failure('terminating connection', { code: '57P01', where: 'while executing command on 10.0.0.2:5432' }),
])('answers 503 for tenants of a worker that is lost: %s', (error) => {
  expect(isWorkerDown(error)).toBe(true);
  expect(toProblem(error)).toMatchObject({ code: 'unavailable', cause: error });
});

it('leaves other failures as they are', () => {
  const error = failure('division by zero', { code: '22012', where: 'while executing command on a:1' });
  expect(isWorkerDown(error)).toBe(false);
  expect(toProblem(error)).toBe(error);
});

it('answers 503 where another transaction has held a row for too long, and leaves a statement alone that would not wait', () => {
  const error = failure('canceling statement due to lock timeout', {
    code: '55P03',
    routine: 'ProcessInterrupts',
  });
  expect(toProblem(error)).toMatchObject({ code: 'unavailable', cause: error });
  const noWait = failure('could not obtain lock on row', { code: '55P03', routine: 'heap_lock_tuple' });
  expect(toProblem(noWait)).toBe(noWait);
});

import { sql } from '../../lib/sql.ts';
import type { Db } from './db.ts';

/** Does the work inside the transaction, rolls it back and answers what it would have answered; its errors are thrown. */
export async function dryRun<T>(tx: Db, work: () => Promise<T>): Promise<T> {
  return tryOut(tx, work, () => false);
}

/** The same, but what was done stays where `keeps` says so of the result. */
export async function tryOut<T>(tx: Db, work: () => Promise<T>, keeps: (result: T) => boolean): Promise<T> {
  await tx.query(sql`savepoint try_out`);
  const result = await work();
  // Fails if a statement has that was not waited for, which going back would hide.
  await tx.query(sql`select 1`);
  await tx.query(keeps(result) ? sql`release savepoint try_out` : sql`rollback to savepoint try_out`);
  return result;
}

import { sql } from '../lib/sql.ts';
import type { Db } from './db.ts';

/** Does the work inside the transaction and rolls it back; its errors are thrown. */
export async function dryRun(tx: Db, work: () => Promise<unknown>): Promise<void> {
  await tx.query(sql`savepoint try_out`);
  await work();
  await tx.query(sql`rollback to savepoint try_out`);
}

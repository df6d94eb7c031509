import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/** PostgreSQL's number of SHARE, which Citus takes for a statement that writes, and which moving a shard waits for. */
const shareLock = 5;

/**
 * Keeps the shard of a tenant where it is until the transaction ends. Citus does so for statements that it plans; of what
 * `run_on_shard` writes it knows nothing, and a shard that moves meanwhile would leave it behind.
 */
export async function holdShard(tx: Db, tenantId: number): Promise<void> {
  await tx.prepared(
    sql`select lock_shard_metadata(${shareLock},
      array[get_shard_id_for_distribution_column('alert', ${tenantId}::bigint)])`,
  );
}

import { sql } from '../../lib/sql.ts';
import { asOwner, type Store } from '../db/db.ts';

/**
 * Completes the summaries by which searches skip alerts of other blocks. PostgreSQL writes them when it vacuums a
 * month, which is rare while alerts are only added.
 */
export async function summarizeBlocks(store: Store): Promise<void> {
  // Workers of Citus have these indexes.
  if (await store.isDistributed()) return;
  await asOwner(store).query(
    sql`select brin_summarize_new_values(inhrelid::regclass) from pg_inherits
      where inhparent = 'alert_block'::regclass`,
  );
}

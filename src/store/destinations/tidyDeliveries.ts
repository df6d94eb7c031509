import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db.ts';
import { inChunks } from '../inChunks.ts';
import { giveUpDeliveries } from './giveUpDeliveries.ts';

/** How long the log says what became of a message. */
const keptMs = 90 * 24 * 3_600_000;

/** Forgets old deliveries that are settled, and gives up those that nobody will send. */
export async function tidyDeliveries(db: Db, now: number): Promise<void> {
  await giveUpDeliveries(db, now);
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with old as (
          select tenant_id, id from delivery where created_at < ${now - keptMs} and state <> 'PENDING'
          limit ${limit} for update skip locked),
        forgotten as (
          delete from delivery d using old where d.tenant_id = old.tenant_id and d.id = old.id returning 1),
        attempts as (
          delete from delivery_attempt a using old where a.tenant_id = old.tenant_id and a.delivery_id = old.id)
        select count(*) as count from forgotten`,
    );
    return onlyRow(rows).count;
  });
}

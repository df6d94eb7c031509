import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/** How long the log says what became of a message. */
const keptMs = 90 * 24 * 3_600_000;

/** Forgets old deliveries that are settled, and gives up those whose destination was deleted. */
export async function tidyDeliveries(db: Db, now: number): Promise<void> {
  await db.query(
    sql`update delivery d set state = 'DEAD', last_error = 'The destination was deleted.', updated_at = ${now}
      from destination x where x.tenant_id = d.tenant_id and x.id = d.destination_id and x.status = 'DELETED'
        and d.state = 'PENDING'`,
  );
  await db.query(
    sql`with old as (
        delete from delivery where created_at < ${now - keptMs} and state <> 'PENDING' returning tenant_id, id)
      delete from delivery_attempt a using old where a.tenant_id = old.tenant_id and a.delivery_id = old.id`,
  );
}

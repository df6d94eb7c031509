import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { inChunks } from '../inChunks.ts';
import { waitingDestinations } from './waitingDestinations.ts';

/** Gives up what still waits for destinations that were disabled or deleted; whoever dies meanwhile leaves the rest to the next. */
export async function giveUpDeliveries(db: Db, now: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with recursive ${waitingDestinations},
        lost as (
          select d.tenant_id, d.id,
            case when x.status = 'DELETED' then 'The destination was deleted.' else x.disabled_reason end as reason
          from waiting w
          join destination x on x.id = w.id and (x.status = 'DELETED' or (x.status = 'DISABLED' and x.disabled_reason is not null))
          cross join lateral (
            select d.tenant_id, d.id from delivery d where d.destination_id = x.id and d.state = 'PENDING'
            limit ${limit} for update of d skip locked) d
          limit ${limit}),
        changed as (
          update delivery d set state = 'DEAD', last_error = lost.reason, updated_at = ${now}
          from lost where d.tenant_id = lost.tenant_id and d.id = lost.id returning 1)
        select count(*) as count from changed`,
    );
    return rows[0]!.count;
  });
}

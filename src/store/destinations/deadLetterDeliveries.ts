import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { isMailedType } from '../tables/kindConditions.ts';
import { pendingDestinations } from './claimDeliveries.ts';

/** A message waits this long for the confirmation of its e-mail address. */
const maxUnconfirmedMs = 7 * 24 * 3_600_000;

/** Marks pending deliveries to disabled, deleted or unconfirmed destinations as DEAD, in chunks; after a crash the next run continues. */
export async function deadLetterDeliveries(db: Db, now: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with recursive ${pendingDestinations()},
        lost as (
          select d.tenant_id, d.id,
            case when x.status = 'DELETED' then 'The destination was deleted.'
              when x.status = 'DISABLED' then x.disabled_reason
              else 'The e-mail address was not confirmed within seven days.' end as reason
          from waiting w
          join destination x on x.id = w.id and (x.status = 'DELETED'
            or (x.status = 'DISABLED' and x.disabled_reason is not null)
            or (x.status = 'ACTIVE' and ${isMailedType()} and x.confirmed_at is null))
          cross join lateral (
            select d.tenant_id, d.id from delivery_queue q
            join delivery d on d.tenant_id = q.tenant_id and d.id = q.id and d.state = 'PENDING'
              and (x.status <> 'ACTIVE' or d.created_at < ${now - maxUnconfirmedMs})
            where q.destination_id = x.id limit ${limit} for update of d skip locked) d
          limit ${limit}),
        changed as (
          update delivery d set state = 'DEAD', last_error = lost.reason, updated_at = ${now}
          from lost where d.tenant_id = lost.tenant_id and d.id = lost.id returning d.tenant_id, d.id),
        dequeued as (
          delete from delivery_queue q using changed where q.tenant_id = changed.tenant_id and q.id = changed.id)
        select count(*) as count from changed`,
    );
    return onlyRow(rows).count;
  });
}

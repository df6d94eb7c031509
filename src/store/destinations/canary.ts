import { sql } from '../../lib/sql.ts';
import { canaryId } from '../../model/heartbeat.ts';
import { platformTenant } from '../../model/metrics.ts';
import type { Db } from '../db/db.ts';

/** No destination has this id: what is queued for it, the senders deliver to themselves. */
export const canaryDestination = 0;

/**
 * Queues the canary among the deliveries, unless it still waits, not in a future that the clock has left. It has no
 * tenant and sends no message: settling it shows that the queue moves.
 */
export async function queueCanary(db: Db, now: number): Promise<void> {
  await db.query(
    sql`with gone as (
        delete from delivery_attempt where tenant_id = ${platformTenant} and delivery_id = ${canaryId}),
      written as (
        insert into delivery as d (tenant_id, id, uid, destination_id, type, data, next_attempt_at, created_at,
          updated_at)
        values (${platformTenant}, ${canaryId}, gen_random_uuid(), ${canaryDestination}, 'canary', '{}', ${now}, ${now},
          ${now})
        on conflict (tenant_id, id) do update set state = 'PENDING', next_attempt_at = ${now}, created_at = ${now},
            updated_at = ${now}
          where d.state <> 'PENDING' or d.next_attempt_at > ${now}
        returning tenant_id, id),
      queued as (
        insert into delivery_queue (tenant_id, id, destination_id, next_attempt_at)
        select tenant_id, id, ${canaryDestination}::bigint, ${now}::bigint from written
        on conflict (tenant_id, id) do update set next_attempt_at = excluded.next_attempt_at returning 1)
      select announce('vigil_work') from queued`,
  );
}

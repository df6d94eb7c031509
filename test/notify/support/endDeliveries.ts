import { empty, sql } from '../../../src/lib/sql.ts';
import type { Store } from '../../../src/store/db/db.ts';
import type { DeliveryState } from '../../../src/store/destinations/deliveryLog.ts';

/** Ends pending deliveries of a destination, or of all, as if they had been sent or given up. */
export async function endDeliveries(
  store: Store,
  state: Exclude<DeliveryState, 'PENDING'>,
  { destinationId, limit = 1_000_000 }: { destinationId?: number; limit?: number } = {},
): Promise<void> {
  await store.query(
    sql`with ended as (
        delete from delivery_queue where (tenant_id, id) in (select tenant_id, id from delivery_queue
          ${destinationId === undefined ? empty : sql`where destination_id = ${destinationId}`} limit ${limit})
        returning tenant_id, id)
      update delivery d set state = ${state}, attempts = 1 from ended e where d.tenant_id = e.tenant_id and d.id = e.id`,
  );
}

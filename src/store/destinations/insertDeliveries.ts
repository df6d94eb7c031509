import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { EventType } from '../../model/notification.ts';
import type { Db } from '../db.ts';

/** One message for any number of the tenant's destinations. */
export type NewMessage = {
  tenantId: number;
  type: EventType;
  data: Record<string, unknown>;
  destinationIds: readonly number[];
  alert?: { uid: string; timestamp: number; contractId: number };
};

/** Inserts a delivery for every destination of every message, in their order, and wakes the senders. */
export async function insertDeliveries(tx: Db, messages: readonly NewMessage[], now: number): Promise<void> {
  if (messages.length === 0) return;
  await tx.prepared(
    sql`with written as (
        insert into delivery (tenant_id, uid, destination_id, type, data, alert_uid, alert_timestamp, contract_id,
          next_attempt_at, created_at, updated_at)
        select m.tenant_id, gen_random_uuid(), d.id::bigint, m.type, m.data, (m.alert->>'uid')::uuid,
          (m.alert->>'timestamp')::bigint, (m.alert->>'contractId')::bigint, ${now}, ${now}, ${now}
        from rows from (jsonb_to_recordset(${storableJson(messages.map(toColumns))}::jsonb)
          as (tenant_id bigint, type text, data jsonb, alert jsonb, destination_ids jsonb))
          with ordinality as m (tenant_id, type, data, alert, destination_ids, n)
        cross join lateral jsonb_array_elements_text(m.destination_ids) d(id)
        order by m.n, d.id returning 1)
      select pg_notify('vigil_work', '') from written limit 1`,
  );
}

function toColumns({ tenantId, type, data, alert, destinationIds }: NewMessage) {
  return { tenant_id: tenantId, type, data, alert, destination_ids: destinationIds };
}

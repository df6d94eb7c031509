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
  /** When it is due at a destination, where that is not at once. */
  dueAt?: ReadonlyMap<number, number>;
  /** The incident, and the destinations that are to get what it grows by together. */
  incident?: { uid: string; destinationIds: ReadonlySet<number> } | undefined;
  alert?: { uid: string; timestamp: number; contractId: number };
};

/** Inserts a delivery for every destination of every message, in their order, and wakes the senders. */
export async function insertDeliveries(tx: Db, messages: readonly NewMessage[], now: number): Promise<void> {
  if (messages.length === 0) return;
  await tx.prepared(
    sql`with written as (
        insert into delivery (tenant_id, uid, destination_id, type, data, alert_uid, alert_timestamp, contract_id,
          incident_uid, next_attempt_at, created_at, updated_at)
        select m.tenant_id, gen_random_uuid(), (d.item->>0)::bigint, m.type, m.data, (m.alert->>'uid')::uuid,
          (m.alert->>'timestamp')::bigint, (m.alert->>'contractId')::bigint, (d.item->>2)::uuid,
          (d.item->>1)::bigint, ${now}, ${now}
        from rows from (jsonb_to_recordset(${storableJson(messages.map((message) => toColumns(message, now)))}::jsonb)
          as (tenant_id bigint, type text, data jsonb, alert jsonb, destinations jsonb))
          with ordinality as m (tenant_id, type, data, alert, destinations, n)
        cross join lateral jsonb_array_elements(m.destinations) d(item)
        order by m.n, d.item returning 1)
      select pg_notify('vigil_work', '') from written limit 1`,
  );
}

function toColumns(
  { tenantId, type, data, alert, incident, destinationIds, dueAt }: NewMessage,
  now: number,
) {
  return {
    tenant_id: tenantId,
    type,
    data,
    alert,
    destinations: destinationIds.map((id) => [
      id,
      dueAt?.get(id) ?? now,
      ...(incident?.destinationIds.has(id) ? [incident.uid] : []),
    ]),
  };
}

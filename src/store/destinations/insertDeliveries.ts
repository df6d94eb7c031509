import { storableJson } from '../../lib/json.ts';
import { type Sql, sql } from '../../lib/sql.ts';
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
  /** The alert that it reports. */
  alertUid?: string;
};

/** Inserts a delivery for every destination of every message, in their order, and wakes the senders. */
export async function insertDeliveries(tx: Db, messages: readonly NewMessage[], now: number): Promise<void> {
  if (messages.length === 0) return;
  await tx.prepared(
    sql`with m as materialized (
        select nextval(pg_get_serial_sequence('delivery_message', 'id')) as id, m.*
        from rows from (jsonb_to_recordset(${storableJson(messages.map((message) => toColumns(message, now)))}::jsonb)
          as (tenant_id bigint, type text, data jsonb, alert_uid uuid, destinations jsonb))
          with ordinality as m (tenant_id, type, data, alert_uid, destinations, n)),
      message as (
        insert into delivery_message (tenant_id, id, created_at, data)
        select m.tenant_id, m.id, ${now}, m.data from m where jsonb_array_length(m.destinations) > 0 order by m.n),
      written as (
        insert into delivery (tenant_id, uid, destination_id, type, message_id, alert_uid, incident_uid,
          next_attempt_at, created_at, updated_at)
        select m.tenant_id, gen_random_uuid(), (d.item->>0)::bigint, m.type, m.id, m.alert_uid, (d.item->>2)::uuid,
          (d.item->>1)::bigint, ${now}, ${now}
        from m cross join lateral jsonb_array_elements(m.destinations) d(item)
        order by m.n, d.item returning ${queueColumns})
      ${enqueue(sql`written`)}`,
  );
}

/** What the queue needs of a new delivery. */
export const queueColumns = sql`tenant_id, id, destination_id, message_id, next_attempt_at`;

/** Ends a statement that writes deliveries: queues what `written` returns of them, and wakes the senders. */
export function enqueue(written: Sql): Sql {
  return sql`, queued as (
      insert into delivery_queue (${queueColumns}) select ${queueColumns} from ${written} order by id returning 1)
    select pg_notify('vigil_work', '') from queued limit 1`;
}

function toColumns(
  { tenantId, type, data, alertUid, incident, destinationIds, dueAt }: NewMessage,
  now: number,
) {
  return {
    tenant_id: tenantId,
    type,
    data,
    alert_uid: alertUid,
    destinations: destinationIds.map((id) => [
      id,
      dueAt?.get(id) ?? now,
      ...(incident?.destinationIds.has(id) ? [incident.uid] : []),
    ]),
  };
}

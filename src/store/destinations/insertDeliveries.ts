import { storableJson } from '../../lib/json.ts';
import { type Sql, sql } from '../../lib/sql.ts';
import type { EventType } from '../../model/notification.ts';
import type { Db } from '../db/db.ts';
import { heldUntil } from './heldDeliveries.ts';

/** One message for any number of the tenant's destinations. */
export type NewMessage = {
  tenantId: number;
  type: EventType;
  data: Record<string, unknown>;
  destinationIds: readonly number[];
  /** Due time by destination, if not at once. */
  dueAt?: ReadonlyMap<number, number>;
  /** The incident, and the destinations that are to get what it grows by together. */
  incident?: { uid: string; destinationIds: ReadonlySet<number> } | undefined;
  /** The alert that it reports. */
  alertUid?: string;
  /** The step of a chain that it is sent for. */
  escalation?: { id: number; number: number };
  /** Says which message it is, where no other may be like it: with the destination it decides the uid. */
  key?: string;
  /** Condition for sending: the block, if any, and the number of blocks above it by destination. */
  held?: { chainUid: string; block: number | null; confirmations: ReadonlyMap<number, number> } | undefined;
};

/** Inserts a delivery for every destination of every message, in their order, and wakes the senders. */
export async function insertDeliveries(tx: Db, messages: readonly NewMessage[], now: number): Promise<void> {
  if (messages.length === 0) return;
  await tx.prepared(
    sql`with m as materialized (
        select nextval(pg_get_serial_sequence('delivery_message', 'id')) as id, m.*
        from rows from (jsonb_to_recordset(${storableJson(messages.map((message) => toColumns(message, now)))}::jsonb)
          as (tenant_id bigint, type text, data jsonb, alert_uid uuid, chain_uid text, key text, destinations jsonb,
            escalation_id bigint, escalation_number integer))
          with ordinality as m (tenant_id, type, data, alert_uid, chain_uid, key, destinations, escalation_id,
            escalation_number, n)),
      message as (
        insert into delivery_message (tenant_id, id, created_at, data)
        select m.tenant_id, m.id, ${now}, m.data from m where jsonb_array_length(m.destinations) > 0 order by m.n),
      written as (
        insert into delivery (tenant_id, uid, destination_id, type, message_id, alert_uid, incident_uid,
          next_attempt_at, created_at, updated_at, escalation_id, escalation_number)
        select m.tenant_id,
          case when m.key is null then gen_random_uuid() else md5(m.key || ' ' || (d.item->>0))::uuid end,
          (d.item->>0)::bigint, m.type, m.id, m.alert_uid, (d.item->>2)::uuid,
          (d.item->>1)::bigint, ${now}, ${now}, m.escalation_id, m.escalation_number
        from m cross join lateral jsonb_array_elements(m.destinations) d(item)
        order by m.n, d.item returning ${queueColumns}),
      held as (
        insert into held_delivery (tenant_id, delivery_id, alert_uid, chain_uid, confirmations, due_block)
        select w.tenant_id, w.id, m.alert_uid, m.chain_uid, (d.item->>3)::integer, (d.item->>4)::bigint
        from m join written w on w.tenant_id = m.tenant_id and w.message_id = m.id
        cross join lateral jsonb_array_elements(m.destinations) d(item)
        where m.chain_uid is not null and (d.item->>0)::bigint = w.destination_id and d.item->>3 is not null)
      ${enqueue(sql`written`)}`,
  );
}

/** Columns that the queue needs of a new delivery. */
export const queueColumns = sql`tenant_id, id, destination_id, message_id, next_attempt_at`;

/** Ends a statement that writes deliveries: queues what `written` returns of them, and wakes the senders. */
export function enqueue(written: Sql): Sql {
  return sql`, queued as (
      insert into delivery_queue (${queueColumns}) select ${queueColumns} from ${written} order by id returning 1)
    select announce('vigil_work') from queued limit 1`;
}

function toColumns(
  { tenantId, type, data, alertUid, key, incident, destinationIds, dueAt, held, escalation }: NewMessage,
  now: number,
) {
  return {
    tenant_id: tenantId,
    type,
    data,
    alert_uid: alertUid,
    chain_uid: held?.chainUid,
    key,
    escalation_id: escalation?.id,
    escalation_number: escalation?.number,
    destinations: destinationIds.map((id) => {
      const confirmations = held?.confirmations.get(id);
      const item = [
        id,
        confirmations === undefined ? (dueAt?.get(id) ?? now) : heldUntil,
        incident?.destinationIds.has(id) ? incident.uid : null,
      ];
      if (confirmations === undefined) return item;
      const block = held?.block ?? null;
      return [...item, confirmations, block === null ? null : block + confirmations];
    }),
  };
}

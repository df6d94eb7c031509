import { storableJson } from '../../lib/json.ts';
import { empty, sql } from '../../lib/sql.ts';
import { isUuid } from '../../lib/uid.ts';
import type { Message, SendOutcome } from '../../model/notification.ts';
import type { Scope } from '../../model/principal.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { isMailedType } from '../tables/kindConditions.ts';
import { restoreMessages } from './archivedMessages.ts';
import { messageData } from './claimDeliveries.ts';
import { queueColumns } from './insertDeliveries.ts';

export const deliveryStates = ['PENDING', 'DELIVERED', 'DEAD', 'CANCELED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export type Delivery = {
  uid: string;
  sequence: number;
  destinationId: number;
  type: string;
  state: DeliveryState;
  alertUid: string | null;
  createdAt: number;
  updatedAt: number;
  deliveredAt: number | null;
  nextAttemptAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
  attempts: {
    attempt: number;
    at: number;
    durationMs: number;
    status: number | null;
    error: string | null;
  }[];
};

const columns = sql`d.uid::text, d.id as sequence, d.destination_id as "destinationId", d.type, d.state,
  d.alert_uid::text as "alertUid", d.created_at as "createdAt", d.updated_at as "updatedAt",
  d.delivered_at as "deliveredAt",
  case when d.state = 'PENDING' then greatest(d.next_attempt_at, (select x.paused_until from destination x
    where x.tenant_id = d.tenant_id and x.id = d.destination_id)) end as "nextAttemptAt",
  d.last_status as "lastStatus", coalesce(d.last_error, case when d.state = 'PENDING'
    and exists (select from destination x
    where x.tenant_id = d.tenant_id and x.id = d.destination_id and ${isMailedType()} and x.confirmed_at is null)
    then 'It waits until the e-mail address is confirmed by the mailed link.' end) as "lastError",
  (select coalesce(json_agg(json_build_object('attempt', a.attempt, 'at', a.at, 'durationMs', a.duration_ms,
    'status', a.status, 'error', a.error) order by a.attempt), '[]'::json)
   from delivery_attempt a where a.tenant_id = d.tenant_id and a.delivery_id = d.id) as attempts`;

/** Newest first. */
export async function searchDeliveries(
  db: Db,
  destination: { tenantId: number; id: number },
  search: { from: number; size: number; state: DeliveryState | undefined },
): Promise<Delivery[]> {
  return db.query<Delivery>(
    sql`select ${columns} from delivery d where d.tenant_id = ${destination.tenantId}
      and d.destination_id = ${destination.id}
      ${search.state === undefined ? empty : sql`and d.state = ${search.state}`}
      order by d.id desc limit ${search.size} offset ${search.from}`,
  );
}

/** A delivery with its destination as people know it; the name is null where it has none. */
export type AlertDelivery = Delivery & { destinationName: string | null; destinationType: string | null };

/** Deliveries because of an alert, sent or pending; newest first. */
export async function findAlertDeliveries(
  db: Db,
  { tenantId, alertUid }: { tenantId: number; alertUid: string },
  limit: number,
): Promise<AlertDelivery[]> {
  return db.query<AlertDelivery>(
    sql`select ${columns}, coalesce(x.name, x.value, x.messenger_a_chat_title) as "destinationName",
        x.type as "destinationType"
      from delivery d left join destination x on x.tenant_id = d.tenant_id and x.id = d.destination_id
      where d.tenant_id = ${tenantId} and d.alert_uid = ${alertUid}::uuid
      order by d.id desc limit ${limit}`,
  );
}

/** The delivery, if it and its destination still exist, locked until the transaction ends. */
export async function lockDelivery(
  tx: Db,
  scope: Scope,
  uid: string,
  now: number,
): Promise<(Delivery & { tenantId: number }) | undefined> {
  if (!isUuid(uid)) return undefined;
  const condition = sql`d.uid = ${uid}::uuid ${scope.all ? empty : sql`and d.tenant_id = any(${scope.tenantIds})`}`;
  await restoreMessages(tx, sql`delivery d where ${condition}`, now);
  const rows = await tx.query<Delivery & { tenantId: number }>(
    sql`select ${columns}, d.tenant_id as "tenantId" from delivery d
      where ${condition}
        and exists (select from destination x
          where x.tenant_id = d.tenant_id and x.id = d.destination_id and x.status <> 'DELETED')
        and ${messageData} is not null
      for update of d`,
  );
  return rows[0];
}

/** Sends the same message again at once, on a new schedule. */
export async function replayDelivery(
  tx: Db,
  { tenantId, sequence }: { tenantId: number; sequence: number },
  now: number,
): Promise<Delivery> {
  const rows = await tx.query<Delivery>(
    sql`update delivery d set state = 'PENDING', next_attempt_at = ${now}, updated_at = ${now}
      where d.tenant_id = ${tenantId} and d.id = ${sequence} returning ${columns}`,
  );
  await tx.query(
    sql`insert into delivery_queue as q (${queueColumns})
      select ${queueColumns} from delivery where tenant_id = ${tenantId} and id = ${sequence}
      on conflict (tenant_id, id) do update set step = 0, next_attempt_at = excluded.next_attempt_at`,
  );
  await tx.query(sql`select announce('vigil_work')`);
  return onlyRow(rows);
}

/** Reserves the sequence of a message that is sent first and logged afterwards. */
export async function reserveSequence(db: Db): Promise<number> {
  const rows = await db.query<{ sequence: number }>(
    sql`select nextval(pg_get_serial_sequence('delivery', 'id')) as sequence`,
  );
  return onlyRow(rows).sequence;
}

/** Logs the single attempt of a message that was sent outside the queue. */
export async function logSent(
  db: Db,
  { tenantId, id }: { tenantId: number; id: number },
  message: Message,
  outcome: SendOutcome,
  durationMs: number,
): Promise<void> {
  const status = outcome.status ?? null;
  const error = outcome.ok ? null : outcome.error;
  const time = message.timestamp;
  await db.query(
    sql`with said as (
        insert into delivery_message (tenant_id, created_at, data)
        values (${tenantId}, ${time}, ${storableJson(message.data)}::jsonb) returning id),
      sent as (
        insert into delivery (id, tenant_id, uid, destination_id, type, message_id, state, attempts, next_attempt_at,
          created_at, updated_at, delivered_at, last_status, last_error)
        select ${message.sequence}::bigint, ${tenantId}::bigint, ${message.uid}::uuid, ${id}::bigint,
          ${message.type}::text, said.id,
          ${outcome.ok ? 'DELIVERED' : 'DEAD'}::text, 1, ${time}::bigint, ${time}::bigint, ${time}::bigint,
          ${outcome.ok ? time : null}::bigint, ${status}::int, ${error}::text
        from said returning tenant_id, id)
      insert into delivery_attempt (tenant_id, delivery_id, attempt, at, duration_ms, status, error)
      select tenant_id, id, 1, ${time}, ${durationMs}, ${status}, ${error} from sent`,
  );
}

import { integer, raw, type Sql, sql, unplanned } from '../../lib/sql.ts';
import type { Message } from '../../model/notification.ts';
import type { Db } from '../db/db.ts';
import { isGroupedType, isMailedType, isSequentialType } from '../tables/kindConditions.ts';
import { canaryDestination } from './canary.ts';

/** A message to one destination; `step` counts its failed attempts. */
export type ClaimedDelivery = Message & {
  tenantId: number;
  destinationId: number;
  step: number;
  isGrouped: boolean;
  incidentUid: string | null;
};

/**
 * The CTE `waiting (id)` for `with recursive`: destinations with pending deliveries, one index lookup for each; none unless the
 * condition holds.
 */
export const pendingDestinations = (condition: Sql = raw('true')): Sql => sql`waiting (id) as (
  (select min(destination_id) from delivery_queue where ${condition})
  union all
  select (select min(destination_id) from delivery_queue where destination_id > w.id)
  from waiting w where w.id is not null)`;

/** Message of the delivery `d`; older deliveries have it in their own row. */
export const messageData = sql`coalesce(d.data,
  (select m.data from delivery_message m where m.tenant_id = d.tenant_id and m.id = d.message_id))`;

type Limits = {
  now: number;
  busy: ReadonlyMap<number, number>;
  limit: number;
  mailLimit: number;
  /** Without a mail server, unconfirmed mail destinations are claimed too, so that the reason is recorded. */
  hasMail: boolean;
};

/** Concurrent webhooks to one receiver; a new or failing receiver gets one at a time. */
export const maxConcurrentWebhooks = 16;
/** Messages in one mail or chat message. */
const maxGroupedMessages = 100;
/** Reading as many due deliveries takes about as long as looking up a hundred destinations. */
const maxDue = 5000;
/** Longer than any attempt may take; after a crash, others claim the delivery when it ends. */
export const deliveryLeaseSeconds = 30;

/** True if a delivery may be claimed. */
export const isDeliveryDue = (now: number): Sql => sql`exists (
  select from (select lease_until from delivery_queue where next_attempt_at <= ${unplanned(now)}
    order by next_attempt_at limit ${integer(maxLookedAt)}) q
  where q.lease_until is null or q.lease_until < now())`;

/** More than all processes send at once. The order keeps it from reading a queue that only waits for retries. */
const maxLookedAt = 10_000;

/**
 * Claims due deliveries, a few of every destination, so that none delays another. Skips destinations that wait for a
 * retry, unless a long queue hides due ones. `busy`: running attempts by destination; `mailLimit`: most mail
 * destinations.
 */
export async function claimDeliveries(
  db: Db,
  { now, busy, limit, mailLimit, hasMail }: Limits,
): Promise<ClaimedDelivery[]> {
  const isDue = sql`q.next_attempt_at <= ${now} and (q.lease_until is null or q.lease_until < now())`;
  const rows = await db.prepared<ClaimedDelivery>(
    sql`with recursive head as (
        select q.destination_id as id from delivery_queue q where q.next_attempt_at <= ${now}
        order by q.next_attempt_at limit ${maxDue}),
      ${pendingDestinations(sql`(select count(*) = ${maxDue} from head)`)},
      ready as (
        select x.id, x.type, b.count, x.failing_since is null and x.last_sent_at is not null as is_well,
          greatest(x.last_sent_at, x.last_failed_at) as tried_at
        from (select id from head union select id from waiting) w
        join destination x on x.id = w.id and x.status = 'ACTIVE'
          and (x.paused_until is null or x.paused_until <= ${now})
        left join unnest(${[...busy.keys()]}::bigint[], ${[...busy.values()]}::int[]) b(id, count) on b.id = x.id
        where (not ${isMailedType()} or x.confirmed_at is not null or ${!hasMail})
          and (b.count is null or not ${isSequentialType()})
          and (not ${isGroupedType()} or x.last_sent_at is null or x.last_sent_at + x.group_window_ms <= ${now})
        union all
        select ${canaryDestination}::bigint, 'CANARY', null, false, null
        where exists (select from delivery_queue q where q.destination_id = ${canaryDestination})),
      mails as (
        select x.id from ready x
        cross join lateral (select from delivery_queue q where q.destination_id = x.id and ${isDue} limit 1) q
        where ${isMailedType()} order by x.tried_at nulls first limit ${mailLimit}),
      due as (
        select q.tenant_id, q.id, ${isGroupedType()} as is_grouped
        from ready x
        cross join lateral (
          select q.tenant_id, q.id, q.next_attempt_at from delivery_queue q
          where q.destination_id = x.id and ${isDue}
          order by q.next_attempt_at, q.id
          limit case
            when ${isGroupedType()} then ${maxGroupedMessages}::int
            when ${isSequentialType()} then 1
            when x.is_well then greatest(${maxConcurrentWebhooks}::int - coalesce(x.count, 0), 0)
            else greatest(1 - coalesce(x.count, 0), 0) end
          for update of q skip locked) q
        where not ${isMailedType()} or x.id in (select id from mails)
        order by q.next_attempt_at limit ${limit}),
      claimed as (
        update delivery_queue q set lease_until = now() + make_interval(secs => ${deliveryLeaseSeconds})
        from due where q.tenant_id = due.tenant_id and q.id = due.id
        returning q.tenant_id, q.id, q.step, due.is_grouped)
      select d.id as sequence, d.uid::text, d.type, d.created_at as timestamp, ${messageData} as data,
        d.tenant_id as "tenantId", d.destination_id as "destinationId", q.step, q.is_grouped as "isGrouped",
        d.incident_uid::text as "incidentUid"
      from claimed q join delivery d on d.tenant_id = q.tenant_id and d.id = q.id`,
  );
  return rows.sort((left, right) => left.sequence - right.sequence);
}

/** Releases deliveries that were claimed and not sent; others may claim them after `delaySeconds`. */
export async function releaseDeliveries(
  db: Db,
  claimed: readonly Pick<ClaimedDelivery, 'tenantId' | 'sequence'>[],
  delaySeconds = 0,
): Promise<void> {
  await db.query(
    sql`update delivery_queue q set lease_until = now() + make_interval(secs => nullif(${delaySeconds}::float8, 0))
      from unnest(${claimed.map(({ tenantId }) => tenantId)}::bigint[],
        ${claimed.map(({ sequence }) => sequence)}::bigint[]) k(tenant_id, id)
      where q.tenant_id = k.tenant_id and q.id = k.id`,
  );
}

import { sql } from '../../lib/sql.ts';
import type { Message } from '../../model/notification.ts';
import type { Db } from '../db.ts';
import { waitingDestinations } from './waitingDestinations.ts';

/** A message on its way to one destination; `step` is how often it was tried in vain. */
export type Claimed = Message & { tenantId: number; destinationId: number; step: number; isGrouped: boolean };

type Limits = {
  now: number;
  busy: ReadonlyMap<number, number>;
  most: number;
  mostMails: number;
  /** Whether mail can be sent at all; where it cannot, that is the reason to record. */
  hasMail: boolean;
};

/** Webhooks that go to one receiver at once; one that has not yet proved itself, or is failing, gets a single one. */
export const webhooksAtOnce = 16;
/** Messages of one mail or chat message. */
const grouped = 100;
/** Longer than any attempt may take. */
const leaseSeconds = 30;

/**
 * Takes what is due, a little of every destination, so that one that hangs or has a long queue takes nothing from others.
 * `busy` says how many attempts of this process are under way to a destination, `mostMails` how many destinations of mails
 * may come, those that were served longest ago first. Whoever dies with a claimed delivery leaves it to others when the lease ends.
 */
export async function claimDeliveries(
  db: Db,
  { now, busy, most, mostMails, hasMail }: Limits,
): Promise<Claimed[]> {
  const isDue = sql`d.state = 'PENDING' and d.next_attempt_at <= ${now}
    and (d.lease_until is null or d.lease_until < now())`;
  const rows = await db.prepared<Claimed>(
    sql`with recursive ${waitingDestinations},
      ready as (
        select x.id, x.type, b.count, x.failing_since is null and x.last_sent_at is not null as is_well,
          greatest(x.last_sent_at, x.last_failed_at) as tried_at
        from waiting w
        join destination x on x.id = w.id and x.status = 'ACTIVE'
          and (x.paused_until is null or x.paused_until <= ${now})
        left join unnest(${[...busy.keys()]}::bigint[], ${[...busy.values()]}::int[]) b(id, count) on b.id = x.id
        where (x.type <> 'EMAIL' or x.confirmed_at is not null or ${!hasMail}) and (x.type = 'HTTP'
          or (b.count is null and (x.last_sent_at is null or x.last_sent_at + x.group_window_ms <= ${now})))),
      mails as (
        select x.id from ready x
        cross join lateral (select from delivery d where d.destination_id = x.id and ${isDue} limit 1) d
        where x.type = 'EMAIL' order by x.tried_at nulls first limit ${mostMails}),
      due as (
        select d.tenant_id, d.id, x.type <> 'HTTP' as is_grouped
        from ready x
        cross join lateral (
          select d.tenant_id, d.id, d.next_attempt_at from delivery d
          where d.destination_id = x.id and ${isDue}
          order by d.next_attempt_at, d.id
          limit case
            when x.type <> 'HTTP' then ${grouped}::int
            when x.is_well then greatest(${webhooksAtOnce}::int - coalesce(x.count, 0), 0)
            else greatest(1 - coalesce(x.count, 0), 0) end
          for update of d skip locked) d
        where x.type <> 'EMAIL' or x.id in (select id from mails)
        order by d.next_attempt_at limit ${most})
      update delivery d set lease_until = now() + make_interval(secs => ${leaseSeconds})
      from due where d.tenant_id = due.tenant_id and d.id = due.id
      returning d.id as sequence, d.uid::text, d.type, d.created_at as timestamp, d.data, d.tenant_id as "tenantId",
        d.destination_id as "destinationId", d.step, due.is_grouped as "isGrouped"`,
  );
  return rows.sort((one, other) => one.sequence - other.sequence);
}

/** Gives back what was claimed and not sent. */
export async function releaseDeliveries(
  db: Db,
  claimed: readonly Pick<Claimed, 'tenantId' | 'sequence'>[],
): Promise<void> {
  await db.query(
    sql`update delivery d set lease_until = null
      from unnest(${claimed.map(({ tenantId }) => tenantId)}::bigint[],
        ${claimed.map(({ sequence }) => sequence)}::bigint[]) k(tenant_id, id)
      where d.tenant_id = k.tenant_id and d.id = k.id`,
  );
}

import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { subscriptionGraceMs } from '../tables/isLive.ts';
import { isBoundByChatType, isMailedType } from '../tables/kindConditions.ts';

/** No notice is sent for subscriptions that ended longer ago. */
const maxNoticeAgeMs = 2 * subscriptionGraceMs;

export type DueNotice = {
  tenantId: number;
  subscriptionId: number;
  tenantName: string;
  planName: string;
  expirationDate: number;
  /** Days before the end whose notices are due and not sent; −7 is the end of watching. */
  days: number[];
};

const dayMs = 24 * 3_600_000;
/** Watchers use the clock of the database, which may be a little behind. */
const clockSkewMs = 60_000;

/**
 * Notices that are due and not sent. A notice belongs to an end date, so that an extended subscription gets new ones; a
 * subscription that another one follows without a gap gets none.
 */
export async function findDueNotices(db: Db, now: number): Promise<DueNotice[]> {
  return db.query<DueNotice>(
    sql`select s.tenant_id as "tenantId", s.id as "subscriptionId", n.name as "tenantName", p.name as "planName",
        s.expiration_date as "expirationDate", array_agg(d.days order by d.days) as days
      from subscription s
      join tenant n on n.id = s.tenant_id and n.status = 'ACTIVE'
      join plan p on p.id = s.plan_id
      cross join lateral (
        select distinct unnest(s.notify_before_expire_days || ${-subscriptionGraceMs / dayMs}::integer) as days) d
      where s.status = 'ACTIVE' and s.expiration_date > ${now - maxNoticeAgeMs}
        and s.expiration_date - d.days * ${dayMs}::bigint <= ${now}::bigint - case when d.days < 0
          then ${clockSkewMs}::bigint else 0 end
        and not exists (select from subscription successor
          where successor.tenant_id = s.tenant_id and successor.id <> s.id
          and successor.status = 'ACTIVE' and successor.expiration_date > s.expiration_date
          and successor.start_date <= greatest(s.expiration_date, ${now}))
        and not exists (select from notice t where t.tenant_id = s.tenant_id
          and t.key = concat_ws(' ', 'subscription', s.id, s.expiration_date, d.days))
      group by s.tenant_id, s.id, n.name, p.name, s.expiration_date
      order by s.id`,
  );
}

/** Records the notices before they are sent; false when another process was faster. */
export async function recordNotices(tx: Db, due: DueNotice, now: number): Promise<boolean> {
  const keys = due.days.map((days) => `subscription ${due.subscriptionId} ${due.expirationDate} ${days}`);
  const rows = await tx.query(
    sql`insert into notice (tenant_id, key, at) select ${due.tenantId}, key, ${now} from unnest(${keys}::text[]) key
      order by key on conflict do nothing returning 1`,
  );
  return rows.length > 0;
}

/** The mail addresses of managers, without those that are DEFAULT destinations of the tenant. */
export async function findManagerAddresses(db: Db, tenantId: number): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    sql`select m.email from member m where m.tenant_id = ${tenantId} and m.status = 'ACTIVE'
        and 'tenant-manager' = any(m.roles)
        and not exists (select from destination x where x.tenant_id = m.tenant_id and ${isMailedType()}
          and x.status = 'ACTIVE' and 'DEFAULT' = any(x.tags) and lower(x.value) = lower(m.email))
      order by m.id`,
  );
  return rows.map(({ email }) => email);
}

export async function findDefaultDestinations(db: Db, tenantId: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    sql`select id from destination where tenant_id = ${tenantId} and status = 'ACTIVE' and 'DEFAULT' = any(tags)
        and (not ${isBoundByChatType('type')} or messenger_a_chat_id is not null) order by id`,
  );
  return rows.map(({ id }) => id);
}

/** Makes the watchers reload the tenant's contracts. */
export async function notifyWatchers(db: Db, tenantId: number): Promise<void> {
  await db.query(sql`select pg_notify('vigil_watch', ${`tenant ${tenantId}`})`);
}

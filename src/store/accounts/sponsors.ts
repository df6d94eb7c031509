import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** Acts on another's account that give a say in its use. */
export const deeds = ['MADE', 'RESET', 'PROMOTED'] as const;
export type Deed = (typeof deeds)[number];

/** A user; a key that belongs to no user, behind which anyone may be; or the platform's operator, who stands above tenants. */
export type Sponsor = { userId: number } | 'unknown' | 'operator';

/** Keeps the last sponsor of each deed. */
export async function recordSponsor(
  tx: Db,
  memberId: number,
  deed: Deed,
  by: Sponsor,
  now: number,
): Promise<void> {
  const byId = typeof by === 'string' ? null : by.userId;
  await tx.query(
    sql`insert into member_sponsor as s (member_id, deed, by_id, by_operator, at)
      values (${memberId}, ${deed}, ${byId}, ${by === 'operator'}, ${now})
      on conflict (member_id, deed) do update
        set by_id = excluded.by_id, by_operator = excluded.by_operator, at = excluded.at`,
  );
}

/** Null stands for a key without a user; of administrators `tenantId` is null. */
export type FoundSponsor = { id: number | null; tenantId: number | null };

/** Users with a part in this account by one of these deeds, and by any deed in the accounts of those, recursively. */
export async function findSponsors(
  db: Db,
  memberId: number,
  first: readonly Deed[],
): Promise<FoundSponsor[]> {
  return db.query<FoundSponsor>(
    sql`with recursive sponsor (id) as (
        select s.by_id from member_sponsor s where s.member_id = ${memberId} and s.deed = any(${first}::text[])
          and not s.by_operator
        union
        select s.by_id from member_sponsor s join sponsor p on s.member_id = p.id and not s.by_operator)
      select p.id, m.tenant_id as "tenantId" from sponsor p left join member m on m.id = p.id`,
  );
}

/** True if someone else has set the user's password at this time or later. */
export async function wasResetSince(db: Db, memberId: number, time: number): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from member_sponsor where member_id = ${memberId} and deed = 'RESET' and at >= ${time}`,
  );
  return rows.length > 0;
}

/** Notes the browser in which a user signed in. */
export async function noteDevice(db: Db, memberId: number, device: Buffer, now: number): Promise<void> {
  await db.query(
    sql`insert into member_device as d (member_id, device, seen_at) values (${memberId}, ${device}, ${now})
      on conflict (member_id, device) do update set seen_at = excluded.seen_at`,
  );
}

/** True if both have signed in with one browser since. */
export async function shareDevice(db: Db, one: number, secondId: number, since: number): Promise<boolean> {
  const rows = await db.query(
    sql`select d.device from member_device d
      where d.member_id = any(${[one, secondId]}::bigint[]) and d.seen_at > ${since}
      group by d.device having count(*) = 2 limit 1`,
  );
  return rows.length > 0;
}

export async function purgeDevices(db: Db, before: number): Promise<void> {
  await db.query(sql`delete from member_device where seen_at < ${before}`);
}

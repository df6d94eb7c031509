import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { isMailedType, isReachable } from '../tables/kindConditions.ts';

/** A destination that can be called now: active, bound to its chat, and confirmed where it is an address. */
const isCallable = sql`${isReachable} and (not ${isMailedType()} or x.confirmed_at is not null)`;

/** The way to call a user: the destinations of the contact that can be called, or else those of the user's own address. */
export type Contact = {
  tenantId: number;
  userId: number;
  name: string;
  isActive: boolean;
  destinationIds: number[];
};

export async function findContacts(
  db: Db,
  users: readonly { tenantId: number; userId: number }[],
): Promise<Contact[]> {
  if (users.length === 0) return [];
  return db.prepared<Contact>(
    sql`select m.tenant_id as "tenantId", m.id as "userId", coalesce(m.name, m.email) as name,
        m.status = 'ACTIVE' as "isActive",
        coalesce(
          (select array_agg(x.id order by array_position(c.destination_ids, x.id)) from member_contact c
            join destination x on x.tenant_id = c.tenant_id and x.id = any(c.destination_ids) and ${isCallable}
            where c.tenant_id = m.tenant_id and c.member_id = m.id),
          (select array_agg(x.id order by x.id) from destination x
            where x.tenant_id = m.tenant_id and x.type = 'EMAIL' and lower(x.value) = lower(m.email) and ${isCallable}),
          '{}') as "destinationIds"
      from (select distinct * from unnest(${users.map(({ tenantId }) => tenantId)}::bigint[],
        ${users.map(({ userId }) => userId)}::bigint[]) k(tenant_id, user_id)) k
      join member m on m.tenant_id = k.tenant_id and m.id = k.user_id and m.status <> 'DELETED'`,
  );
}

/** Destinations that a step names, as people know them. */
export async function findCallable(
  db: Db,
  keys: readonly { tenantId: number; id: number }[],
): Promise<{ tenantId: number; id: number; name: string; isCallable: boolean }[]> {
  if (keys.length === 0) return [];
  return db.prepared<{ tenantId: number; id: number; name: string; isCallable: boolean }>(
    sql`select x.tenant_id as "tenantId", x.id, coalesce(x.name, x.type || ' ' || x.id) as name,
        ${isCallable} as "isCallable"
      from (select distinct * from unnest(${keys.map(({ tenantId }) => tenantId)}::bigint[],
        ${keys.map(({ id }) => id)}::bigint[]) k(tenant_id, id)) k
      join destination x on x.tenant_id = k.tenant_id and x.id = k.id`,
  );
}

/** The destinations of the root route that can be called, by tenant; missing where routes are off. */
export async function findRootDestinations(
  db: Db,
  tenantIds: readonly number[],
): Promise<Map<number, number[]>> {
  if (tenantIds.length === 0) return new Map();
  const rows = await db.prepared<{ tenantId: number; ids: number[] }>(
    sql`select r.tenant_id as "tenantId", array_agg(x.id order by array_position(r.destination_ids, x.id)) as ids
      from route r join destination x on x.tenant_id = r.tenant_id and x.id = any(r.destination_ids) and ${isCallable}
      where r.tenant_id = any(${tenantIds}::bigint[]) and r.parent_id is null and r.status = 'ACTIVE' group by 1`,
  );
  return new Map(rows.map(({ tenantId, ids }) => [tenantId, ids]));
}

/** Everyone of a tenant who can be called, with what the contact says. */
export async function listContacts(
  db: Db,
  tenantId: number,
): Promise<
  { userId: number; name: string; email: string; destinationIds: number[]; updatedAt: number | null }[]
> {
  return db.prepared(
    sql`select m.id as "userId", coalesce(m.name, m.email) as name, m.email,
        coalesce(c.destination_ids, '{}') as "destinationIds", c.updated_at as "updatedAt"
      from member m left join member_contact c on c.tenant_id = m.tenant_id and c.member_id = m.id
      where m.tenant_id = ${tenantId} and m.status = 'ACTIVE' order by 2, 1 limit 1000`,
  );
}

export async function saveContact(
  tx: Db,
  { tenantId, userId }: { tenantId: number; userId: number },
  destinationIds: readonly number[],
  now: number,
): Promise<void> {
  await tx.query(
    sql`insert into member_contact (tenant_id, member_id, destination_ids, updated_at)
      values (${tenantId}, ${userId}, ${destinationIds}::bigint[], ${now})
      on conflict (tenant_id, member_id) do update set destination_ids = excluded.destination_ids,
        updated_at = excluded.updated_at`,
  );
}

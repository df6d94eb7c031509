import { sql } from '../../lib/sql.ts';
import type { Principal, Role } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';

export type UserAccount = {
  id: number;
  tenantId: number | null;
  passwordHash: string | null;
  isActive: boolean;
};

/** Every user with this address, at most one in a tenant; the oldest first. */
export async function findAccounts(db: Db, email: string): Promise<UserAccount[]> {
  return db.query<UserAccount>(
    sql`select m.id, m.tenant_id as "tenantId", m.password_hash as "passwordHash",
        (m.status = 'ACTIVE' and (n.id is null or n.status <> 'DELETED')) as "isActive"
      from member m left join tenant n on n.id = m.tenant_id
      where m.email = ${email} and m.status <> 'DELETED' order by m.id`,
  );
}

/**
 * True if the user is active (and has the checked password), locked until the transaction ends. A session opened during
 * a change of the password would outlive it.
 */
export async function lockActiveAccount(db: Db, id: number, passwordHash?: string | null): Promise<boolean> {
  const rows = await db.query<{ hash: string | null }>(
    sql`select password_hash as hash from member where id = ${id} and status = 'ACTIVE' for share`,
  );
  return rows[0] !== undefined && (passwordHash === undefined || rows[0].hash === passwordHash);
}

type Credentials = {
  tenantId: number | null;
  email: string;
  name: string | null;
  passwordHash: string | null;
};

/** Locked until the transaction ends. */
export async function lockCredentials(db: Db, id: number): Promise<Credentials | undefined> {
  const rows = await db.query<Credentials>(
    sql`select tenant_id as "tenantId", email, name, password_hash as "passwordHash" from member
      where id = ${id} and status <> 'DELETED' for no key update`,
  );
  return rows[0];
}

export async function updatePassword(db: Db, id: number, passwordHash: string, now: number): Promise<void> {
  await db.query(
    sql`update member set password_hash = ${passwordHash}, updated_at = ${now} where id = ${id}`,
  );
}

/** A hash whose salt a new password for this address has to share; those who set one at the same time take turns. */
export async function findSharedHash(tx: Db, email: string): Promise<string | undefined> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`password salt ${email}`}, 0))`);
  const rows = await tx.query<{ hash: string }>(
    sql`select password_hash as hash from member
      where email = ${email} and status <> 'DELETED' and password_hash is not null order by id limit 1`,
  );
  return rows[0]?.hash;
}

export async function hasMember(db: Db, tenantId: number | null, email: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from member where tenant_id is not distinct from ${tenantId}::bigint and email = ${email}
      and status <> 'DELETED'`,
  );
  return rows.length > 0;
}

export async function findOrganisationOf(db: Db, tenantId: number): Promise<number | null> {
  const rows = await db.query<{ id: number | null }>(
    sql`select organisation_id as id from tenant where id = ${tenantId}`,
  );
  return rows[0]?.id ?? null;
}

export async function findMemberName(db: Db, id: number): Promise<string | null> {
  const rows = await db.query<{ name: string | null }>(sql`select name from member where id = ${id}`);
  return rows[0]?.name ?? null;
}

export async function findTenantName(db: Db, tenantId: number): Promise<string | null> {
  const rows = await db.query<{ name: string }>(sql`select name from tenant where id = ${tenantId}`);
  return rows[0]?.name ?? null;
}

type OpenInvite = {
  id: number;
  tenantId: number | null;
  organisationId: number | null;
  email: string;
  roles: Role[];
  makerId: number | null;
  makerTokenId: number | null;
};

/** Locked, so that of two who accept at once one finds it gone. The organisation is the tenant's present one. */
export async function findOpenInvite(db: Db, uidHash: Buffer, now: number): Promise<OpenInvite | undefined> {
  const rows = await db.query<OpenInvite>(
    sql`select i.id, i.tenant_id as "tenantId", n.organisation_id as "organisationId", i.email, i.roles,
        i.maker_id as "makerId", i.maker_token_id as "makerTokenId"
      from invite i left join tenant n on n.id = i.tenant_id
      where i.uid_hash = ${uidHash} and i.status = 'ACTIVE' and i.accepted_at is null and i.expired_at > ${now}
      for update of i`,
  );
  return rows[0];
}

/** Ends the open invites for an address in a tenant; returns their ids. */
export async function revokeInvites(
  db: Db,
  tenantId: number | null,
  email: string,
  now: number,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    sql`update invite set status = 'DELETED', updated_at = ${now}
      where tenant_id is not distinct from ${tenantId}::bigint and email = ${email}
        and status = 'ACTIVE' and accepted_at is null returning id`,
  );
  return rows.map(({ id }) => id);
}

/** Present rights of a user; undefined if the user or its tenant is disabled or gone. */
export async function findRights(
  db: Db,
  userId: number,
): Promise<Pick<Principal, 'tenantId' | 'organisationId' | 'roles'> | undefined> {
  const rows = await db.query<Pick<Principal, 'tenantId' | 'organisationId' | 'roles'>>(
    sql`select m.tenant_id as "tenantId", n.organisation_id as "organisationId", m.roles
      from member m left join tenant n on n.id = m.tenant_id
      where m.id = ${userId} and m.status = 'ACTIVE' and (n.id is null or n.status <> 'DELETED')`,
  );
  return rows[0];
}

export async function markAccepted(db: Db, id: number, now: number): Promise<void> {
  await db.query(sql`update invite set accepted_at = ${now}, updated_at = ${now} where id = ${id}`);
}

/** Those of these users of the tenant who may approve something at all, held until the transaction ends. */
export async function lockApprovers(tx: Db, tenantId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ id: number }>(
    sql`select id from member where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) and status = 'ACTIVE'
      and roles && array['tenant-user', 'tenant-manager'] for key share`,
  );
  return new Set(rows.map(({ id }) => id));
}

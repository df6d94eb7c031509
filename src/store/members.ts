import { sql } from '../lib/sql.ts';
import type { Role } from '../model/principal.ts';
import type { Db } from './db.ts';

export type Login = {
  id: number;
  tenantId: number | null;
  roles: Role[];
  passwordHash: string | null;
  isActive: boolean;
};

export async function findMemberByEmail(db: Db, email: string): Promise<Login | undefined> {
  const rows = await db.query<Login>(
    sql`select m.id, m.tenant_id as "tenantId", m.roles, m.password_hash as "passwordHash",
        (m.status = 'ACTIVE' and (t.id is null or t.status <> 'DELETED')) as "isActive"
      from member m left join tenant t on t.id = m.tenant_id
      where lower(m.email) = lower(${email}) and m.status <> 'DELETED'`,
  );
  return rows[0];
}

export async function findOrganisationOf(db: Db, tenantId: number): Promise<number | null> {
  const rows = await db.query<{ id: number | null }>(
    sql`select organisation_id as id from tenant where id = ${tenantId}`,
  );
  return rows[0]?.id ?? null;
}

export async function findTenantName(db: Db, tenantId: number): Promise<string | null> {
  const rows = await db.query<{ name: string }>(sql`select name from tenant where id = ${tenantId}`);
  return rows[0]?.name ?? null;
}

type OpenInvite = { id: number; tenantId: number | null; email: string; roles: Role[] };

/** Locked, so that of two who accept at once one finds it gone. */
export async function findOpenInvite(db: Db, uidHash: Buffer, now: number): Promise<OpenInvite | undefined> {
  const rows = await db.query<OpenInvite>(
    sql`select id, tenant_id as "tenantId", email, roles from invite
      where uid_hash = ${uidHash} and status = 'ACTIVE' and accepted_at is null and expired_at > ${now} for update`,
  );
  return rows[0];
}

export async function markAccepted(db: Db, id: number, now: number): Promise<void> {
  await db.query(sql`update invite set accepted_at = ${now}, updated_at = ${now} where id = ${id}`);
}

import { type Sql, sql } from '../../lib/sql.ts';
import type { Principal, Role } from '../../model/principal.ts';
import { mayGrant } from '../../model/principal.ts';
import type { ReadOnly } from '../../model/readOnly.ts';
import { type Db, onlyRow } from '../db/db.ts';

type TokenRow = {
  tokenId: number;
  tokenKind: Principal['tokenKind'];
  userId: number | null;
  tenantId: number | null;
  organisationId: number | null;
  roles: Role[];
  userRoles: Role[] | null;
  tenantStatus: string | null;
  isExpired: boolean;
};

/** The identity behind a token; undefined if the token is unknown, expired or revoked, or its user was deleted. */
export async function findPrincipal(db: Db, hash: Buffer, now: number): Promise<Principal | undefined> {
  return (await findPrincipals(db, sql`k.hash = ${hash}`, now))[0];
}

/** The same for many tokens by their ids, for what goes on longer than a request. */
export async function findPrincipalsById(
  db: Db,
  tokenIds: readonly number[],
  now: number,
): Promise<Principal[]> {
  return findPrincipals(db, sql`k.id = any(${tokenIds})`, now);
}

async function findPrincipals(db: Db, condition: Sql, now: number): Promise<Principal[]> {
  const rows = await db.prepared<TokenRow>(
    sql`select k.id as "tokenId", k.kind as "tokenKind", k.member_id as "userId", k.tenant_id as "tenantId",
        n.organisation_id as "organisationId", k.roles, m.roles as "userRoles", n.status as "tenantStatus",
        ${isExpired(now)} as "isExpired"
      from access_token k
      left join member m on m.id = k.member_id
      left join tenant n on n.id = k.tenant_id
      where ${condition} and k.status = 'ACTIVE' and (k.expired_at is null or k.expired_at > ${now})
        and (k.member_id is null or m.status = 'ACTIVE') and (k.tenant_id is null or n.status <> 'DELETED')`,
  );
  return rows.map((row) => {
    const { userRoles: _userRoles, tenantStatus, isExpired, ...principal } = row;
    return { ...principal, roles: effectiveRoles(row), readOnly: readOnlyOf({ tenantStatus, isExpired }) };
  });
}

/** Reason that nothing may be written for a tenant, if so. */
export async function findReadOnly(db: Db, tenantId: number, now: number): Promise<ReadOnly | null> {
  const rows = await db.prepared<Pick<TokenRow, 'tenantStatus' | 'isExpired'>>(
    sql`select n.status as "tenantStatus", ${isExpired(now)} as "isExpired" from tenant n where n.id = ${tenantId}`,
  );
  return rows[0] ? readOnlyOf(rows[0]) : null;
}

/** True if the tenant `n` has had subscriptions and none is running. */
function isExpired(now: number): Sql {
  return sql`(exists (select 1 from subscription s where s.tenant_id = n.id and s.status <> 'DELETED')
    and not exists (select 1 from subscription s where s.tenant_id = n.id and s.status = 'ACTIVE'
                    and s.expiration_date > ${now}))`;
}

function readOnlyOf({
  tenantStatus,
  isExpired,
}: Pick<TokenRow, 'tenantStatus' | 'isExpired'>): ReadOnly | null {
  if (tenantStatus === 'DISABLED') return 'tenant-disabled';
  return isExpired ? 'subscription-expired' : null;
}

/** A session has its user's present roles; a key has those of its own that its owner could still grant. */
function effectiveRoles(row: TokenRow): Role[] {
  const { userRoles } = row;
  if (!userRoles) return row.roles;
  return row.tokenKind === 'SESSION' ? userRoles : row.roles.filter((role) => mayGrant(userRoles, role));
}

export type NewToken = {
  kind: Principal['tokenKind'];
  tenantId: number | null;
  userId: number | null;
  label: string | null;
  roles: readonly string[];
  hash: Buffer;
  hint: string;
  expiredAt: number | null;
  /** Of a session: which one it goes on with; a new one if left out. */
  family?: { id: number; openedAt: number };
  /** Of a session: where the user came from. */
  address?: string;
};

export async function insertToken(db: Db, token: NewToken, now: number): Promise<number> {
  const isSession = token.kind === 'SESSION';
  const openedAt = isSession ? (token.family?.openedAt ?? now) : null;
  const rows = await db.query<{ id: number }>(
    sql`insert into access_token (id, created_at, updated_at, kind, tenant_id, member_id, label, roles, hash, hint,
      expired_at, family_id, opened_at, address)
      select n.id, ${now}::bigint, ${now}::bigint, ${token.kind}, ${token.tenantId}::bigint, ${token.userId}::bigint,
        ${token.label}, ${token.roles}::text[], ${token.hash}::bytea, ${token.hint}, ${token.expiredAt}::bigint,
        case when ${isSession}::boolean then coalesce(${token.family?.id ?? null}::bigint, n.id) end,
          ${openedAt}::bigint, ${token.address ?? null}
      from (select nextval(pg_get_serial_sequence('access_token', 'id')) as id) n
      returning id`,
  );
  return onlyRow(rows).id;
}

/** Owner of the revoked token; undefined when there was no such live token. */
export async function revokeToken(
  db: Db,
  id: number,
  now: number,
): Promise<{ tenantId: number | null } | undefined> {
  const rows = await db.query<{ tenantId: number | null }>(
    sql`update access_token set status = 'DELETED', updated_at = ${now}
      where id = ${id} and status <> 'DELETED' returning tenant_id as "tenantId"`,
  );
  return rows[0];
}

/** Ends every session of a user, save for the one that this token belongs to; returns those that were live. */
export async function revokeSessions(
  db: Db,
  userId: number,
  now: number,
  exceptTokenId?: number,
): Promise<number[]> {
  const rows = await db.query<{ id: number; wasLive: boolean }>(
    sql`update access_token k set status = 'DELETED', updated_at = ${now}
      where member_id = ${userId} and kind = 'SESSION' and status <> 'DELETED' and not exists (
        select 1 from access_token own where own.id = ${exceptTokenId ?? null}::bigint
          and own.family_id = k.family_id)
      returning k.family_id as id, k.expired_at > ${now} as "wasLive"`,
  );
  return rows.filter(({ wasLive }) => wasLive).map(({ id }) => id);
}

/** Uses a session's token up, so that the next one can take its place; undefined when it was used or ended before. */
export async function consumeSession(
  db: Db,
  tokenId: number,
  now: number,
): Promise<{ id: number; openedAt: number } | undefined> {
  const rows = await db.query<{ id: number; openedAt: number }>(
    sql`update access_token set status = 'DELETED', updated_at = ${now}
      where id = ${tokenId} and kind = 'SESSION' and status = 'ACTIVE'
      returning family_id as id, opened_at as "openedAt"`,
  );
  return rows[0];
}

/** Opening time of a live session. */
export async function lockSession(db: Db, tokenId: number): Promise<number | undefined> {
  const rows = await db.query<{ openedAt: number }>(
    sql`select opened_at as "openedAt" from access_token
      where id = ${tokenId} and kind = 'SESSION' and status = 'ACTIVE' for no key update`,
  );
  return rows[0]?.openedAt;
}

/** Moves the end of a session whose token stays: a cookie is out of the reach of scripts, and all tabs share it. */
export async function extendSession(
  db: Db,
  tokenId: number,
  expiredAt: number,
): Promise<{ id: number } | undefined> {
  const rows = await db.query<{ id: number }>(
    sql`update access_token set expired_at = ${expiredAt}
      where id = ${tokenId} and kind = 'SESSION' and status = 'ACTIVE' returning family_id as id`,
  );
  return rows[0];
}

/** Creation time of a token; undefined once it is gone for good. */
export async function findTokenBirth(db: Db, tokenId: number): Promise<number | undefined> {
  const rows = await db.prepared<{ createdAt: number }>(
    sql`select created_at as "createdAt" from access_token where id = ${tokenId}`,
  );
  return rows[0]?.createdAt;
}

/** End of a token; null when it never ends. */
export async function findTokenExpiry(db: Db, tokenId: number): Promise<number | null> {
  const rows = await db.prepared<{ expiredAt: number | null }>(
    sql`select expired_at as "expiredAt" from access_token where id = ${tokenId}`,
  );
  return rows[0]?.expiredAt ?? null;
}

export type TokenFacts = { expiredAt: number | null; name: string | null; tenantName: string | null };

/** Description of a token for people: its user or purpose, and the tenant. */
export async function findTokenFacts(db: Db, tokenId: number): Promise<TokenFacts> {
  const rows = await db.prepared<TokenFacts>(
    sql`select k.expired_at as "expiredAt", coalesce(k.label, m.name, m.email) as name, n.name as "tenantName"
      from access_token k left join member m on m.id = k.member_id left join tenant n on n.id = k.tenant_id
      where k.id = ${tokenId}`,
  );
  return onlyRow(rows);
}

export type Session = {
  id: number;
  createdAt: number;
  refreshedAt: number;
  expiredAt: number;
  address: string | null;
  isCurrent: boolean;
};

/** The live sessions of a user, newest first. */
export async function findSessions(db: Db, userId: number, tokenId: number, now: number): Promise<Session[]> {
  return db.query<Session>(
    sql`select family_id as id, opened_at as "createdAt", created_at as "refreshedAt", expired_at as "expiredAt",
      address, id = ${tokenId} as "isCurrent"
      from access_token where member_id = ${userId} and kind = 'SESSION' and status = 'ACTIVE' and expired_at > ${now}
      order by opened_at desc, family_id desc`,
  );
}

/** Ends one session of a user; false when there was no such live one. */
export async function revokeSession(
  db: Db,
  userId: number,
  sessionId: number,
  now: number,
): Promise<boolean> {
  const rows = await db.query(
    sql`update access_token set status = 'DELETED', updated_at = ${now}
      where member_id = ${userId} and family_id = ${sessionId} and status = 'ACTIVE' and expired_at > ${now}
        returning 1`,
  );
  return rows.length > 0;
}

/** Ends the oldest sessions of a user beyond the number that may live; returns their ids. */
export async function revokeOldestSessions(
  db: Db,
  userId: number,
  keep: number,
  now: number,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    sql`update access_token set status = 'DELETED', updated_at = ${now} where id in (
        select id from access_token where member_id = ${userId} and kind = 'SESSION' and status = 'ACTIVE'
          and expired_at > ${now} order by opened_at desc, family_id desc offset ${keep}) returning family_id as id`,
  );
  return rows.map(({ id }) => id);
}

export type EndedFamily = { sessionId: number; userId: number | null; tenantId: number | null };

/** A token that was used up or ended is used again: its present holder may not be its owner, so the session ends. */
export async function revokeFamilyOf(
  db: Db,
  token: { hash: Buffer } | { id: number },
  now: number,
): Promise<EndedFamily | undefined> {
  const which = 'hash' in token ? sql`hash = ${token.hash}` : sql`id = ${token.id}`;
  const rows = await db.query<EndedFamily>(
    sql`update access_token k set status = 'DELETED', updated_at = ${now}
      where status <> 'DELETED' and family_id = (
        select family_id from access_token where ${which} and kind = 'SESSION' and status = 'DELETED')
      returning k.family_id as "sessionId", k.member_id as "userId", k.tenant_id as "tenantId"`,
  );
  return rows[0];
}

export async function hasAdminToken(db: Db): Promise<boolean> {
  const rows = await db.query<{ found: boolean }>(
    sql`select exists (select 1 from access_token where kind = 'ADMIN') as found`,
  );
  return rows[0]?.found ?? false;
}

export async function findTokenByHash(
  db: Db,
  hash: Buffer,
  now: number,
): Promise<{ id: number; isLive: boolean } | undefined> {
  const rows = await db.query<{ id: number; isLive: boolean }>(
    sql`select id, status = 'ACTIVE' and (expired_at is null or expired_at > ${now}) as "isLive"
      from access_token where hash = ${hash}`,
  );
  return rows[0];
}

/** Processes that start at once take their turn. */
export async function lockAdminTokens(tx: Db): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('admin tokens'))`);
}

/** Ends every administrator's token with this label but one; returns the ids of those that were live. */
export async function revokeAdminTokens(
  db: Db,
  label: string,
  exceptId: number,
  now: number,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    sql`update access_token set status = 'DELETED', updated_at = ${now}
      where kind = 'ADMIN' and label = ${label} and id <> ${exceptId} and status = 'ACTIVE' returning id`,
  );
  return rows.map(({ id }) => id);
}

/** For the operator at the command line: every live token, without a secret. */
export async function listTokens(db: Db, now: number) {
  return db.query<{
    id: number;
    kind: string;
    tenantId: number | null;
    label: string | null;
    roles: string[];
    hint: string;
    createdAt: number;
    expiredAt: number | null;
  }>(
    sql`select id, kind, tenant_id as "tenantId", label, roles, hint, created_at as "createdAt",
      expired_at as "expiredAt"
      from access_token where status = 'ACTIVE' and (expired_at is null or expired_at > ${now}) order by id`,
  );
}

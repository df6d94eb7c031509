import { normalizeMailAddress } from '../../lib/mailAddress.ts';
import { hashPassword, matchPassword } from '../../lib/password.ts';
import { hashToken } from '../../lib/token.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { noteDevice } from '../../store/accounts/sponsors.ts';
import {
  consumeSession,
  extendSession,
  findSessions,
  findTokenExpiry,
  lockSession,
  revokeFamilyOf,
  revokeOldestSessions,
  revokeSession,
  revokeSessions,
  type Session,
} from '../../store/accounts/tokens.ts';
import {
  findAccounts,
  findSharedHash,
  lockActiveAccount,
  lockCredentials,
  updatePassword,
} from '../../store/accounts/users.ts';
import { appendAudit } from '../../store/records/audit.ts';
import type { Call, Services } from '../call.ts';
import { audit } from '../records/audit.ts';
import { auditSecurityEvent } from '../records/auditSecurityEvent.ts';
import { checkPassword } from './checkPassword.ts';
import { issueToken } from './issueToken.ts';

/** Of a session that is not refreshed. */
const lifetimeMs = 12 * 3600 * 1000;
/** Live sessions of one user; a login beyond it ends the oldest. */
const maxSessions = 20;

type Opened = { token: string; expiredAt: number };

/**
 * An unknown address, a wrong password and a disabled user are answered alike, in the same time: one password is derived, for
 * users with the same address in several tenants share their salt.
 */
export async function login(
  call: Call,
  { email, password, tenantId }: { email: string; password: string; tenantId?: number },
  device?: string,
): Promise<Opened> {
  const all = await findAccounts(call.db, normalizeMailAddress(email));
  const accounts = all.filter((account) => tenantId === undefined || account.tenantId === tenantId);
  const right = await matchPassword(
    password,
    accounts.flatMap(({ passwordHash }) => passwordHash ?? []),
  );
  const account = accounts.find(
    ({ isActive, passwordHash }) => isActive && passwordHash !== null && right.has(passwordHash),
  );
  if (!account || !(await lockActiveAccount(call.db, account.id, account.passwordHash))) {
    call.services.failedLogins.add(accounts, call.address);
    throw new Problem('unauthenticated', 'The e-mail address or the password is wrong.');
  }
  const opened = await openSession(call, { userId: account.id, tenantId: account.tenantId }, 'login');
  const ended = await revokeOldestSessions(call.db, account.id, maxSessions, call.now);
  for (const id of ended)
    await audit(call, 'session', 'replace', { id, tenantId: account.tenantId }, undefined, undefined);
  if (ended.length > 0) call.services.invalidateTokens();
  if (device !== undefined) await noteDevice(call.db, account.id, hashToken(device), call.now);
  return opened;
}

/** The user goes on in this browser. */
export async function noteOwnDevice({ db, principal, now }: Call, device: string | undefined): Promise<void> {
  const { userId } = principal;
  if (userId !== null && device !== undefined) await noteDevice(db, userId, hashToken(device), now);
}

/** A new token in place of the present one, which is used up. */
export async function refresh(call: Call): Promise<Opened> {
  const { tokenId, tenantId } = call.principal;
  const userId = userOf(
    call,
    'Only a session can be refreshed; an API key lives as long as it was made for.',
  );
  const isLocked = await lockActiveAccount(call.db, userId);
  const family = await consumeSession(call.db, tokenId, call.now);
  if (!isLocked || !family) {
    // Another request has used the token since it was looked up. This one's transaction ends with the answer.
    await endReusedSession(call.services, { id: tokenId }, call);
    throw new Problem('unauthenticated', 'The token is unknown, expired or revoked.');
  }
  call.services.invalidateTokens();
  if (expiryOf(call, family.openedAt) <= call.now)
    throw new Problem('unauthenticated', 'The session is as old as a session may be; log in again.');
  return openSession(call, { userId, tenantId }, 'refresh', family);
}

/** A session ends for good when it is as old as a session may be, however often it is refreshed. */
function expiryOf({ now, services }: Call, openedAt: number): number {
  return Math.min(now + lifetimeMs, openedAt + services.sessionMaxMs);
}

/** The same for a session in a cookie, which keeps its token; of a key only the cookie lasts longer, as long as the key does. */
export async function refreshCookie(call: Call): Promise<number> {
  const { tokenId, tokenKind, tenantId, userId } = call.principal;
  if (tokenKind !== 'SESSION') return cookieExpiry(call);
  const isLocked = userId !== null && (await lockActiveAccount(call.db, userId));
  const openedAt = isLocked ? await lockSession(call.db, tokenId) : undefined;
  const expiredAt = openedAt === undefined ? 0 : expiryOf(call, openedAt);
  const session = expiredAt > call.now ? await extendSession(call.db, tokenId, expiredAt) : undefined;
  if (!session) throw new Problem('unauthenticated', 'The token is unknown, expired or revoked.');
  await audit(call, 'session', 'refresh', { id: session.id, tenantId }, undefined, { expiredAt });
  return expiredAt;
}

/** Until when a cookie may carry the token of this request. */
export async function cookieExpiry({ db, principal, now }: Call): Promise<number> {
  const expiredAt = now + lifetimeMs;
  return Math.min(expiredAt, (await findTokenExpiry(db, principal.tokenId)) ?? expiredAt);
}

export async function logout(call: Call): Promise<void> {
  const { tokenId, tenantId } = call.principal;
  userOf(call, 'Only a session can be logged out; an API key is ended by DELETE /apikey/{id}.');
  const family = await consumeSession(call.db, tokenId, call.now);
  call.services.invalidateTokens();
  await audit(call, 'session', 'logout', { id: family?.id ?? tokenId, tenantId }, undefined, undefined);
}

export async function listSessions(call: Call): Promise<Session[]> {
  const { userId, tokenId } = call.principal;
  return userId === null ? [] : findSessions(call.db, userId, tokenId, call.now);
}

export async function endSession(call: Call, id: number): Promise<void> {
  const { userId, tenantId } = call.principal;
  if (userId === null || !(await revokeSession(call.db, userId, id, call.now)))
    throw new Problem('not-found', 'There is no such session.');
  call.services.invalidateTokens();
  await audit(call, 'session', 'end', { id, tenantId }, undefined, undefined);
}

/** Ends all sessions of another user, or one's own save for the one that asks; returns how many. */
export async function endSessionsOf(
  call: Call,
  user: { id: number; tenantId: number | null },
): Promise<number> {
  const ended = await revokeSessions(call.db, user.id, call.now, call.principal.tokenId);
  call.services.invalidateTokens();
  for (const id of ended)
    await audit(call, 'session', 'end', { id, tenantId: user.tenantId }, undefined, undefined, {
      userId: user.id,
    });
  return ended.length;
}

/** Ends every other session of the user at once. */
export async function changePassword(
  call: Call,
  { oldPassword, newPassword }: { oldPassword: string; newPassword: string },
): Promise<void> {
  const userId = userOf(call, 'Only a user in a session can change the own password; an API key cannot.');
  const user = await lockCredentials(call.db, userId);
  const right = await matchPassword(oldPassword, user?.passwordHash ? [user.passwordHash] : []);
  if (!user || right.size === 0) {
    const { tenantId } = call.principal;
    auditSecurityEvent(call, {
      action: 'session.refuse',
      tenantId,
      userId,
      details: { member: 'oldPassword' },
    });
    throw unprocessable('/oldPassword', 'wrong', 'is not your present password.');
  }
  if (newPassword === oldPassword)
    throw unprocessable('/newPassword', 'same', 'must be another one than your present password.');
  checkPassword('/newPassword', newPassword, user);
  const hash = await hashPassword(newPassword, await findSharedHash(call.db, user.email));
  await updatePassword(call.db, userId, hash, call.now);
  await revokeSessions(call.db, userId, call.now, call.principal.tokenId);
  call.services.invalidateTokens();
  const record = { id: userId, tenantId: user.tenantId };
  await audit(call, 'user', 'password', record, undefined, undefined);
}

/**
 * A used token that is sent again was copied, and either sender may be the owner, so the session ends for both. Runs in
 * a separate transaction, because the request itself fails.
 */
export async function endReusedSession(
  services: Services,
  token: { hash: Buffer } | { id: number },
  { requestId, address }: Pick<Call, 'requestId' | 'address'>,
): Promise<void> {
  const now = services.now();
  await services.store.transaction(async (tx) => {
    const ended = await revokeFamilyOf(tx, token, now);
    if (!ended) return;
    await appendAudit(tx, services.keyring.audit, {
      at: now,
      requestId,
      tenantId: ended.tenantId,
      actor: { tokenId: null, tokenKind: 'NONE', userId: ended.userId, address },
      action: 'session.reuse',
      record: { kind: 'session', id: ended.sessionId },
      changes: {},
    });
  });
  services.invalidateTokens();
}

function userOf({ principal }: Call, otherwise: string): number {
  if (principal.tokenKind !== 'SESSION' || principal.userId === null)
    throw new Problem('forbidden', otherwise);
  return principal.userId;
}

async function openSession(
  call: Call,
  member: { userId: number; tenantId: number | null },
  verb: string,
  family?: { id: number; openedAt: number },
): Promise<Opened> {
  const expiredAt = expiryOf(call, family?.openedAt ?? call.now);
  const { id, token } = await issueToken(
    call.db,
    {
      kind: 'SESSION',
      ...member,
      label: null,
      roles: [],
      expiredAt,
      address: call.address,
      ...(family ? { family } : {}),
    },
    call.now,
  );
  const actor = { ...call.principal, tokenId: id, userId: member.userId };
  const record = { id: family?.id ?? id, tenantId: member.tenantId };
  await audit({ ...call, principal: actor }, 'session', verb, record, undefined, { expiredAt });
  return { token, expiredAt };
}

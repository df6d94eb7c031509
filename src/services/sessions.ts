import { isPassword } from '../lib/password.ts';
import { Problem } from '../model/errors.ts';
import { findMemberByEmail } from '../store/members.ts';
import { revokeToken } from '../store/tokens.ts';
import { audit } from './audit.ts';
import { auditSecurityEvent } from './auditSecurityEvent.ts';
import type { Call } from './call.ts';
import { issueToken } from './issueToken.ts';

const lifetimeMs = 12 * 3600 * 1000;

type Session = { token: string; expiredAt: number };

/** An unknown address, a wrong password and a disabled user are told alike, in the same time. */
export async function login(call: Call, email: string, password: string): Promise<Session> {
  const member = await findMemberByEmail(call.db, email);
  const isRight = await isPassword(password, member?.passwordHash ?? null);
  if (!member || !isRight || !member.isActive) {
    auditSecurityEvent(call, {
      action: 'session.refuse',
      tenantId: member?.tenantId ?? null,
      userId: member?.id ?? null,
      details: { email },
    });
    throw new Problem('unauthenticated', 'The e-mail address or the password is wrong.');
  }
  return openSession(call, { userId: member.id, tenantId: member.tenantId }, 'login');
}

/** A new session in place of the present one. */
export async function refresh(call: Call): Promise<Session> {
  const { tokenKind, tokenId, userId, tenantId } = call.principal;
  if (tokenKind !== 'SESSION' || userId === null) {
    throw new Problem(
      'forbidden',
      'Only a session can be refreshed; an API key lives as long as it was made for.',
    );
  }
  await revokeToken(call.db, tokenId, call.now);
  call.services.forgetTokens();
  return openSession(call, { userId, tenantId }, 'refresh');
}

export async function logout(call: Call): Promise<void> {
  const { tokenKind, tokenId, tenantId } = call.principal;
  if (tokenKind !== 'SESSION') {
    throw new Problem(
      'forbidden',
      'Only a session can be logged out; an API key is ended by DELETE /apikey/{id}.',
    );
  }
  await revokeToken(call.db, tokenId, call.now);
  call.services.forgetTokens();
  await audit(call, 'session', 'logout', { id: tokenId, tenantId }, undefined, undefined);
}

async function openSession(
  call: Call,
  member: { userId: number; tenantId: number | null },
  verb: string,
): Promise<Session> {
  const expiredAt = call.now + lifetimeMs;
  const session = { kind: 'SESSION' as const, ...member, label: null, roles: [], expiredAt };
  const { id, token } = await issueToken(call.db, session, call.now);
  const actor = { ...call.principal, tokenId: id, userId: member.userId };
  const record = { id, tenantId: member.tenantId };
  await audit({ ...call, principal: actor }, 'session', verb, record, undefined, { expiredAt });
  return { token, expiredAt };
}

import { hashToken } from '../lib/token.ts';
import { Problem } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { readOnlyProblem } from '../model/readOnly.ts';
import { findOpenInvite, markAccepted } from '../store/members.ts';
import type { Row } from '../store/records.ts';
import { findReadOnly } from '../store/tokens.ts';
import type { Call } from './call.ts';
import { createRecord } from './createRecord.ts';
import type { RecordKind } from './recordKind.ts';

/** Whoever knows the secret of an open invite becomes the user it was made for, with its roles, in its tenant. */
export async function acceptInvite(
  call: Call,
  userKind: RecordKind,
  uid: string,
  person: { name: string; password: string },
): Promise<Row> {
  const invite = await findOpenInvite(call.db, hashToken(uid), call.now);
  if (!invite)
    throw new Problem('not-found', 'There is no such invite, or it has expired or was accepted already.');
  const readOnly = invite.tenantId === null ? null : await findReadOnly(call.db, invite.tenantId, call.now);
  if (readOnly) throw readOnlyProblem(readOnly);
  await markAccepted(call.db, invite.id, call.now);
  const granted: Principal = { ...call.principal, tenantId: invite.tenantId, roles: ['admin'] };
  const inside = { ...call, principal: granted, scope: { all: true, tenantIds: [], organisationIds: [] } };
  return createRecord(inside, userKind, {
    status: 'ACTIVE',
    email: invite.email,
    roles: invite.roles,
    ...(invite.tenantId === null ? {} : { tenantId: invite.tenantId }),
    ...person,
  });
}

import { hashToken } from '../../lib/token.ts';
import { Problem } from '../../model/errors.ts';
import { mayGrant, type Principal, type Role } from '../../model/principal.ts';
import { readOnlyProblem } from '../../model/readOnly.ts';
import { findPrincipalsById, findReadOnly } from '../../store/accounts/tokens.ts';
import { findOpenInvite, findRights, markAccepted } from '../../store/accounts/users.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { createRecord } from '../records/createRecord.ts';
import type { RecordKind } from '../records/recordKind.ts';

/** The holder of an open invite's secret becomes the user it was made for, with its roles, in its tenant. */
export async function acceptInvite(
  call: Call,
  userKind: RecordKind,
  uid: string,
  person: { name: string; password: string },
): Promise<Row> {
  const invite = await findOpenInvite(call.db, hashToken(uid), call.now);
  if (!invite || !(await isStillGranted(call, invite)))
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

type Invite = NonNullable<Awaited<ReturnType<typeof findOpenInvite>>>;

/** An invite is worth no more than what its maker could still hand out; of invites made before this was kept, all are. */
async function isStillGranted(call: Call, invite: Invite): Promise<boolean> {
  const maker = await findMaker(call, invite);
  return maker === 'unrecorded' || (maker !== undefined && mayInvite(maker, invite));
}

async function findMaker({ db, now }: Call, { makerId, makerTokenId }: Invite) {
  if (makerId !== null) return findRights(db, makerId);
  if (makerTokenId === null) return 'unrecorded';
  const [maker] = await findPrincipalsById(db, [makerTokenId], now);
  return maker;
}

function mayInvite(maker: Pick<Principal, 'tenantId' | 'organisationId' | 'roles'>, invite: Invite): boolean {
  const holds = (role: Role) => maker.roles.includes(role);
  if (holds('admin')) return true;
  const isManager =
    (holds('tenant-manager') && maker.tenantId === invite.tenantId) ||
    (holds('organisation-manager') &&
      maker.organisationId !== null &&
      maker.organisationId === invite.organisationId);
  return isManager && invite.roles.every((role) => mayGrant(maker.roles, role));
}

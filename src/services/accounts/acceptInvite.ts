import { hashToken } from '../../lib/token.ts';
import { Problem } from '../../model/errors.ts';
import { mayGrant, type Principal, type Role } from '../../model/principal.ts';
import { readOnlyProblem } from '../../model/readOnly.ts';
import { recordSponsor } from '../../store/accounts/sponsors.ts';
import { findPrincipalsById, findReadOnly } from '../../store/accounts/tokens.ts';
import { findOpenInvite, findRights, markAccepted } from '../../store/accounts/users.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { createRecord } from '../records/createRecord.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { sponsorOf } from './sponsorOf.ts';

/** The holder of an open invite's secret becomes the user it was made for, with its roles, in its tenant. */
export async function acceptInvite(
  call: Call,
  userKind: RecordKind,
  uid: string,
  person: { name: string; password: string },
): Promise<Row> {
  const invite = await findOpenInvite(call.db, hashToken(uid), call.now);
  const maker = invite && (await findMaker(call, invite));
  if (!invite || !maker || !mayStillInvite(maker, invite))
    throw new Problem('not-found', 'There is no such invite, or it has expired or was accepted already.');
  const readOnly = invite.tenantId === null ? null : await findReadOnly(call.db, invite.tenantId, call.now);
  if (readOnly) throw readOnlyProblem(readOnly);
  await markAccepted(call.db, invite.id, call.now);
  const granted: Principal = { ...call.principal, tenantId: invite.tenantId, roles: ['admin'] };
  const inside = { ...call, principal: granted, scope: { all: true, tenantIds: [], organisationIds: [] } };
  const user = await createRecord(inside, userKind, {
    status: 'ACTIVE',
    email: invite.email,
    roles: invite.roles,
    ...(invite.tenantId === null ? {} : { tenantId: invite.tenantId }),
    ...person,
  });
  if (maker !== 'unrecorded') {
    await recordSponsor(call.db, Number(user.id), 'MADE', sponsorOf(maker), call.now);
  }
  return user;
}

type Invite = NonNullable<Awaited<ReturnType<typeof findOpenInvite>>>;

/** An invite is worth no more than what its maker could still hand out; of invites made before this was kept, all are. */
function mayStillInvite(maker: Maker, invite: Invite): boolean {
  return maker === 'unrecorded' || mayInvite(maker, invite);
}

type Maker = Pick<Principal, 'userId' | 'tenantId' | 'organisationId' | 'roles'> | 'unrecorded';

async function findMaker({ db, now }: Call, { makerId, makerTokenId }: Invite): Promise<Maker | undefined> {
  if (makerId !== null) {
    const rights = await findRights(db, makerId);
    return rights && { ...rights, userId: makerId };
  }
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

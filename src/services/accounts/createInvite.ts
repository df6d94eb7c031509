import { normalizeMailAddress } from '../../lib/mailAddress.ts';
import { createToken, hashToken } from '../../lib/token.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import type { Role } from '../../model/principal.ts';
import {
  findMemberName,
  findOrganisationOf,
  findTenantName,
  hasMember,
  revokeInvites,
} from '../../store/accounts/users.ts';
import { insertMail } from '../../store/destinations/mailOutbox.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { createRecord } from '../records/createRecord.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { checkGrant } from './checkGrant.ts';
import { checkInviteUrl } from './checkInviteUrl.ts';

type Request = { roles: Role[]; url: string; tenantId?: number; organisationId?: number; email: string };

const lifetimeMs = 7 * 24 * 3600 * 1000;

/** The secret of the link is stored as a digest. Without a mail server the maker gets the link and passes it on. */
export async function createInvite(
  call: Call,
  kind: RecordKind,
  given: Request,
): Promise<{ record: Row; link: string | undefined }> {
  const request = { ...given, email: normalizeMailAddress(given.email) };
  checkGrant(call, request.roles);
  checkInviteUrl(call.services.inviteOrigins, request.url);
  const uid = createToken('invite');
  const write = async (
    _call: Call,
    { input, tenantId }: { input: Row; tenantId: number | null },
  ): Promise<Row> => {
    const organisationId = await organisationFor(call, tenantId, request);
    await replaceInvites(call, tenantId, request.email);
    return {
      ...input,
      organisationId,
      uidHash: hashToken(uid),
      expiredAt: call.now + lifetimeMs,
      ...makerOf(call),
    };
  };
  const record = await createRecord(call, { ...kind, prepare: write }, request);
  const link = acceptLink(request.url, uid);
  if (!call.services.mail) return { record, link };
  await mailInvite(call, record, request, link);
  return { record, link: undefined };
}

/** A session ends long before the invite, so its user counts; a key is a right of its own. */
function makerOf({ principal }: Call): Row {
  return principal.tokenKind === 'SESSION'
    ? { makerId: principal.userId }
    : { makerTokenId: principal.tokenId };
}

/** There is one open invite for an address in a tenant: the newest. */
async function replaceInvites(call: Call, tenantId: number | null, email: string): Promise<void> {
  if (await hasMember(call.db, tenantId, email)) {
    const message = 'A user with this e-mail address exists already.';
    throw new Problem('conflict', message, { errors: [{ pointer: '/email', code: 'not-unique', message }] });
  }
  for (const id of await revokeInvites(call.db, tenantId, email, call.now))
    await audit(call, 'invite', 'replace', { id, tenantId }, undefined, undefined);
}

/** Queues the mail in the invite's own transaction. */
async function mailInvite(call: Call, record: Row, { roles, email }: Request, link: string): Promise<void> {
  const tenantId = typeof record.tenantId === 'number' ? record.tenantId : null;
  const tenantName = tenantId === null ? null : await findTenantName(call.db, tenantId);
  const { userId } = call.principal;
  const invitedBy = userId === null ? null : await findMemberName(call.db, userId);
  const data = { link, invitedBy, tenantName, roles, expiredAt: Number(record.expiredAt) };
  await insertMail(call.db, call.services.keyring, { kind: 'invite', tenantId, to: email, data }, call.now);
}

async function organisationFor(
  call: Call,
  tenantId: number | null,
  request: Request,
): Promise<number | null> {
  if (request.roles.includes('admin') !== (tenantId === null)) {
    throw unprocessable(
      '/roles',
      'tenant',
      'The role admin is for users without a tenant, and all others need one.',
    );
  }
  const organisationId = tenantId === null ? null : await findOrganisationOf(call.db, tenantId);
  if (request.organisationId !== undefined && request.organisationId !== organisationId) {
    throw unprocessable('/organisationId', 'unknown-reference', 'must be the organisation of the tenant.');
  }
  return organisationId;
}

/** The caller's page with the secret as a parameter. */
function acceptLink(url: string, uid: string): string {
  const link = new URL(url);
  link.searchParams.set('invite', uid);
  return link.href;
}

import { isMailAddress } from '../lib/mailAddress.ts';
import { createToken, hashToken } from '../lib/token.ts';
import { invalid, Problem, unprocessable } from '../model/errors.ts';
import { isAdmin, type Role } from '../model/principal.ts';
import { findMemberByEmail, findOrganisationOf, findTenantName } from '../store/members.ts';
import { insertMail } from '../store/notify/mailOutbox.ts';
import type { Row } from '../store/records.ts';
import type { Call } from './call.ts';
import { checkGrant } from './checkGrant.ts';
import { createRecord } from './createRecord.ts';
import type { RecordKind } from './recordKind.ts';

type Request = { roles: Role[]; url: string; tenantId?: number; organisationId?: number; email: string };

const lifetimeMs = 7 * 24 * 3600 * 1000;

/** The secret of the link is stored as a digest; without a mail server an administrator gets the link itself. */
export async function createInvite(
  call: Call,
  kind: RecordKind,
  request: Request,
): Promise<{ record: Row; link: string | undefined }> {
  checkGrant(call, request.roles);
  const uid = createToken('invite');
  const write = async (
    _call: Call,
    { input, tenantId }: { input: Row; tenantId: number | null },
  ): Promise<Row> => ({
    ...input,
    organisationId: await organisationFor(call, tenantId, request),
    uidHash: hashToken(uid),
    expiredAt: call.now + lifetimeMs,
  });
  const known = await findMemberByEmail(call.db, request.email);
  // Whether somebody is a user of another tenant is nobody's business; accepting such an invite is refused instead.
  if (known && (call.scope.all || call.scope.tenantIds.some((tenantId) => tenantId === known.tenantId))) {
    throw new Problem('conflict', 'A user with this e-mail address exists already.', {
      errors: [
        { pointer: '/email', code: 'not-unique', message: 'A user with this e-mail address exists already.' },
      ],
    });
  }
  const { mail } = call.services;
  if (mail) checkMailable(request);
  const record = await createRecord(call, { ...kind, prepare: write }, request);
  const link = acceptLink(request.url, uid);
  if (mail) await mailInvite(call, record, request, link);
  return { record, link: isAdmin(call.principal) && !mail ? link : undefined };
}

function checkMailable({ email, url }: Request): void {
  if (!isMailAddress(email))
    throw invalid(
      '/email',
      'format',
      'must be an address that mail can be sent to, such as bob@example.com.',
    );
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalid(
      '/url',
      'format',
      'must be the address of a page, such as https://console.example.com/accept.',
    );
}

/** In the invite's own transaction: whoever is invited is written to. */
async function mailInvite(call: Call, record: Row, { roles, email }: Request, link: string): Promise<void> {
  const tenantId = typeof record.tenantId === 'number' ? record.tenantId : null;
  const tenantName = tenantId === null ? null : await findTenantName(call.db, tenantId);
  const data = { link, tenantName, roles, expiredAt: Number(record.expiredAt) };
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

/** The caller's page with the secret as a parameter, in characters that a header can carry. */
function acceptLink(url: string, uid: string): string {
  if (!URL.canParse(url)) return encodeURI(`${url}${url.includes('?') ? '&' : '?'}invite=${uid}`);
  const link = new URL(url);
  link.searchParams.set('invite', uid);
  return link.href;
}

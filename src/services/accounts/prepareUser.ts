import { normalizeMailAddress } from '../../lib/mailAddress.ts';
import { hashPassword } from '../../lib/password.ts';
import { unprocessable } from '../../model/errors.ts';
import { type Deed, recordSponsor } from '../../store/accounts/sponsors.ts';
import { revokeSessions } from '../../store/accounts/tokens.ts';
import { findSharedHash, findTenantName, lockCredentials } from '../../store/accounts/users.ts';
import { insertMail } from '../../store/destinations/mailOutbox.ts';
import type { Row } from '../../store/records/records.ts';
import type { userTable } from '../../store/tables/userTable.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import type { ChangeOf } from '../records/recordKind.ts';
import { checkGrant, checkRank } from './checkGrant.ts';
import { checkPassword } from './checkPassword.ts';
import { sponsorOf } from './sponsorOf.ts';

type UserChange = ChangeOf<typeof userTable>;

export async function prepareUser(call: Call, change: UserChange): Promise<Row> {
  const { input, current, tenantId } = change;
  const { password, ...rest } = input;
  if (current) checkRank(call, current.roles);
  if (input.roles) {
    checkGrant(call, input.roles);
    const isPlatform = input.roles.includes('admin');
    if (isPlatform !== (tenantId === null)) {
      throw unprocessable(
        '/roles',
        'tenant',
        isPlatform
          ? 'An administrator belongs to no tenant; leave out `tenantId` or the role.'
          : 'Only administrators belong to no tenant; give the `tenantId` of this user.',
      );
    }
  }
  call.services.invalidateTokens();
  const { email: requested } = change.current ? { ...change.current, ...change.input } : change.input;
  const email = normalizeMailAddress(requested);
  if (current && email !== current.email && password == null) await refuseOldPassword(call, current);
  const values = input.email == null ? rest : { ...rest, email };
  if (password == null) return values;
  checkPassword('/password', password, { email, name: input.name ?? current?.name });
  const passwordHash = await hashPassword(password, await findSharedHash(call.db, email));
  return { ...values, passwordHash };
}

/**
 * Refused because users with one address in several tenants share a salt for equal login times. A password from a
 * former address has a different salt, which would reveal that the address is taken elsewhere.
 */
async function refuseOldPassword(call: Call, current: { id: number }): Promise<void> {
  const credentials = await lockCredentials(call.db, current.id);
  if (!credentials?.passwordHash) return;
  throw unprocessable('/password', 'required', 'A new `email` needs a new `password` along with it.');
}

/**
 * A new password or disabling ends all open sessions but the requester's. The users who made, promoted or reset the
 * account are recorded, because they cannot be its second person.
 */
export async function finishUser(
  call: Call,
  { input, current, tenantId }: UserChange,
  id: number,
): Promise<void> {
  if (current && (input.password != null || input.status === 'DISABLED'))
    await revokeSessions(call.db, id, call.now, call.principal.tokenId);
  if (call.principal.userId === id) return;
  const note = (deed: Deed) => recordSponsor(call.db, id, deed, sponsorOf(call.principal), call.now);
  if (!current) return note('MADE');
  if (input.roles?.some((role) => !current.roles.includes(role))) await note('PROMOTED');
  if (input.password == null) return;
  await note('RESET');
  await audit(call, 'user', 'reset', { id, tenantId }, undefined, undefined);
  if (call.services.mail) await mailReset(call, current, tenantId);
}

/** The user must learn that someone else has set the password. */
async function mailReset(call: Call, { email }: { email: string }, tenantId: number | null): Promise<void> {
  const { userId } = call.principal;
  const by = userId === null ? undefined : await lockCredentials(call.db, userId);
  const tenantName = tenantId === null ? null : await findTenantName(call.db, tenantId);
  const data = { by: by?.email ?? null, tenantName, at: call.now };
  await insertMail(call.db, call.services.keyring, { kind: 'reset', tenantId, to: email, data }, call.now);
}

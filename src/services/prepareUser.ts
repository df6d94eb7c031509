import { hashPassword } from '../lib/password.ts';
import { unprocessable } from '../model/errors.ts';
import type { Role } from '../model/principal.ts';
import type { Row } from '../store/records.ts';
import { revokeSessions } from '../store/tokens.ts';
import type { Call } from './call.ts';
import { checkGrant, checkRank } from './checkGrant.ts';
import type { Change } from './recordKind.ts';

type UserChange = Omit<Change, 'input'> & {
  input: { roles?: Role[] | null; password?: string | null; status?: string | null };
};

export async function prepareUser(call: Call, { input, current, tenantId }: UserChange): Promise<Row> {
  const { password, ...rest } = input;
  if (current) checkRank(call, current.roles as Role[]);
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
  call.services.forgetTokens();
  return { ...rest, ...(password == null ? {} : { passwordHash: await hashPassword(password) }) };
}

/** A new password or a disabled user ends every session that was open. */
export async function finishUser(call: Call, { input, current }: UserChange, id: number): Promise<void> {
  if (current && (input.password != null || input.status === 'DISABLED'))
    await revokeSessions(call.db, id, call.now);
}

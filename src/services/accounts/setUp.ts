import { createToken, hashToken } from '../../lib/token.ts';
import { Problem } from '../../model/errors.ts';
import { everything } from '../../model/principal.ts';
import { consumeSetupLink, insertSetupLink } from '../../store/accounts/setupLinks.ts';
import type { Db } from '../../store/db/db.ts';
import type { Call } from '../call.ts';
import { createRecord } from '../records/createRecord.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { login } from './sessions.ts';

const lifetimeMs = 3600 * 1000;

/** The code of the link that the first start prints. */
export async function createSetupCode(tx: Db, now: number): Promise<string> {
  const code = createToken('setup');
  await insertSetupLink(tx, hashToken(code), now + lifetimeMs);
  return code;
}

/** Makes the first administrator of the holder of the code, who is logged in with it. */
export async function setUp(
  call: Call,
  userKind: RecordKind,
  { code, ...person }: { code: string; name: string; email: string; password: string },
): Promise<{ token: string; expiredAt: number }> {
  if (!(await consumeSetupLink(call.db, hashToken(code), call.now)))
    throw new Problem('not-found', 'There is no such set-up link, or it has expired or was used already.');
  const inside: Call = {
    ...call,
    principal: { ...call.principal, roles: ['admin'] },
    scope: everything,
  };
  await createRecord(inside, userKind, { status: 'ACTIVE', roles: ['admin'], ...person });
  return login(call, person);
}

import { createToken, hashToken } from '../../lib/token.ts';
import { Problem } from '../../model/errors.ts';
import type { Role } from '../../model/principal.ts';
import { findApiKeyDays } from '../../store/accounts/plans.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { createRecord } from '../records/createRecord.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { checkGrant } from './checkGrant.ts';
import { tokenHint } from './issueToken.ts';

type Request = { label: string; lifetime?: number; tenantId?: number; roles: Role[] };

/** The key is returned once; the store keeps its digest. */
export async function createApiKey(
  call: Call,
  kind: RecordKind,
  { lifetime, ...request }: Request,
): Promise<{ record: Row; token: string }> {
  checkGrant(call, request.roles);
  const token = createToken('key');
  const write = async (_call: Call, { input, tenantId }: { input: Row; tenantId: number | null }) => ({
    ...input,
    kind: 'API_KEY',
    memberId: call.principal.userId,
    hash: hashToken(token),
    hint: tokenHint(token),
    expiredAt: call.now + 1000 * (await lifetimeOf(call, tenantId, lifetime)),
  });
  const record = await createRecord(call, { ...kind, limit: 'maxApiKeys', prepare: write }, request);
  return { record, token };
}

/** In seconds: what is asked for, or else all that the plan allows. */
async function lifetimeOf(
  call: Call,
  tenantId: number | null,
  lifetime: number | undefined,
): Promise<number> {
  const { plan, days } = await findApiKeyDays(call.db, tenantId, call.now);
  const limit = days * 86_400;
  if (lifetime === undefined || lifetime <= limit) return lifetime ?? limit;
  const message = `The plan "${plan}" lets an API key live for ${days} days, which are ${limit} seconds.`;
  throw new Problem('plan-limit', message, {
    limit,
    count: lifetime,
    errors: [{ pointer: '/lifetime', code: 'too-long', message }],
  });
}

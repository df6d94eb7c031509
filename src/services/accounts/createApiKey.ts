import { createToken, hashToken } from '../../lib/token.ts';
import type { Role } from '../../model/principal.ts';
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
  const write = (_call: Call, { input }: { input: Row }): Row => ({
    ...input,
    kind: 'API_KEY',
    memberId: call.principal.userId,
    hash: hashToken(token),
    hint: tokenHint(token),
    expiredAt: lifetime === undefined ? null : call.now + lifetime * 1000,
  });
  const record = await createRecord(call, { ...kind, limit: 'maxApiKeys', prepare: write }, request);
  return { record, token };
}

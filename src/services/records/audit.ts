import { isDeepStrictEqual } from 'node:util';
import { appendAudit } from '../../store/records/audit.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';

/** Writes the one audit entry of a change, in its transaction: every member that differs, before and after. */
export async function audit(
  call: Pick<Call, 'services' | 'db' | 'principal' | 'address' | 'requestId' | 'now' | 'touched'>,
  kind: string,
  verb: string,
  record: { id: number | null; tenantId: number | null },
  before: Row | undefined,
  after: Row | undefined,
  extra: Row = {},
): Promise<void> {
  const { principal } = call;
  if (record.tenantId !== null) call.touched?.add(record.tenantId);
  await appendAudit(call.db, call.services.keyring.audit, {
    at: call.now,
    requestId: call.requestId,
    // A tenant's own record is written into that tenant's chain.
    tenantId: kind === 'tenant' ? record.id : record.tenantId,
    actor: {
      tokenId: principal.tokenId,
      tokenKind: principal.tokenKind,
      userId: principal.userId,
      address: call.address,
    },
    action: `${kind}.${verb}`,
    record: { kind, id: record.id },
    changes: { ...difference(before, after), ...extra },
  });
}

function difference(before: Row = {}, after: Row = {}): Row {
  const changes: Row = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isDeepStrictEqual(before[name], after[name])) continue;
    changes[name] = { before: before[name] ?? null, after: after[name] ?? null };
  }
  return changes;
}

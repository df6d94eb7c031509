import { isDeepStrictEqual } from 'node:util';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { type AuditEntry, appendAudit, appendAudits } from '../../store/records/audit.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';

type AuditCall = Pick<Call, 'services' | 'db' | 'principal' | 'address' | 'requestId' | 'now' | 'touched'>;
type AuditedRecord = { id: number | null; tenantId: number | null };

/** Writes the one audit entry of a change, in its transaction: every member that differs, before and after. */
export async function audit(
  call: AuditCall,
  kind: string,
  verb: string,
  record: AuditedRecord,
  before: Row | undefined,
  after: Row | undefined,
  extra: Row = {},
): Promise<void> {
  const changes = { ...difference(before, after), ...extra };
  await appendAudit(call.db, call.services.keyring.audit, entryOf(call, kind, verb, record, changes));
}

/** The same for new records of one kind. */
export async function auditCreated(
  call: AuditCall,
  kind: string,
  created: readonly (AuditedRecord & { after: Row })[],
): Promise<void> {
  const [first] = created;
  if (first && created.length === 1) return audit(call, kind, 'create', first, undefined, first.after);
  const entries: AuditEntry[] = [];
  for (const { after, ...record } of created) {
    await yieldToEventLoop();
    entries.push(entryOf(call, kind, 'create', record, difference(undefined, after)));
  }
  await appendAudits(call.db, call.services.keyring.audit, entries);
}

function entryOf(
  { principal, ...call }: AuditCall,
  kind: string,
  verb: string,
  { id, tenantId }: AuditedRecord,
  changes: Row,
): AuditEntry {
  if (tenantId !== null) call.touched?.add(tenantId);
  return {
    at: call.now,
    requestId: call.requestId,
    // A tenant's own record is written into that tenant's chain.
    tenantId: kind === 'tenant' ? id : tenantId,
    actor: {
      tokenId: principal.tokenId,
      tokenKind: principal.tokenKind,
      userId: principal.userId,
      address: call.address,
    },
    action: `${kind}.${verb}`,
    record: { kind, id },
    changes,
  };
}

function difference(before: Row = {}, after: Row = {}): Row {
  const changes: Row = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isDeepStrictEqual(before[name], after[name])) continue;
    changes[name] = { before: before[name] ?? null, after: after[name] ?? null };
  }
  return changes;
}

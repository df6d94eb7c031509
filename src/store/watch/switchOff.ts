import type { AuditKeys } from '../../lib/auditKey.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { appendAudit } from '../records/audit.ts';

const tables = { detector: raw('detector'), trigger: raw('"trigger"') };

/** Disables an active detector or trigger on behalf of Vigil, with an audit entry; false when it is no longer active. */
export async function switchOff(
  tx: Db,
  keys: Pick<AuditKeys, 'newest'>,
  {
    kind,
    id,
    tenantId,
    reason,
    now,
  }: { kind: 'detector' | 'trigger'; id: number; tenantId: number; reason: string; now: number },
): Promise<boolean> {
  const changed = await tx.query(
    sql`update ${tables[kind]} set status = 'DISABLED', updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${id} and status = 'ACTIVE' returning 1`,
  );
  if (changed.length === 0) return false;
  await appendAudit(tx, keys, {
    at: now,
    requestId: '',
    tenantId,
    actor: { tokenId: null, tokenKind: 'SYSTEM', userId: null },
    action: `${kind}.disable`,
    record: { kind, id },
    changes: { status: { before: 'ACTIVE', after: 'DISABLED' }, reason },
  });
  return true;
}

import type { AuditKey } from '../../lib/auditKey.ts';
import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { appendAudit, keyedFrom, platformChain } from './audit.ts';

/** Binds every chain that started without a key: its next entry is keyed and says so. */
export async function keyAuditChains(tx: Db, key: AuditKey, now: number): Promise<void> {
  const heads = await tx.query<{ chain: number; seq: number }>(
    sql`select chain, seq from audit_head order by chain for update`,
  );
  for (const { chain, seq } of heads)
    await appendAudit(
      tx,
      { newest: () => key },
      {
        at: now,
        requestId: 'start',
        tenantId: chain === platformChain ? null : chain,
        actor: { tokenId: null, tokenKind: 'SYSTEM', userId: null },
        action: keyedFrom,
        record: { kind: 'audit', id: null },
        changes: { keyId: key.id, entriesBefore: seq },
      },
    );
}

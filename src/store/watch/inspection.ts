import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** Contracts that were upgraded are inspected again. */
export async function markForInspection(
  tx: Db,
  chainUid: string,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return;
  await tx.query(
    sql`update contract set inspected_at = null
      where chain_uid = ${chainUid} and canonical_address = any(${addresses}) and status = 'ACTIVE'`,
  );
}

/** Records the implementation behind a contract; `updated_at` changes only when the implementation does. */
export async function saveInspection(
  db: Db,
  contract: { tenantId: number; id: number },
  implementation: string | null,
  now: number,
): Promise<void> {
  await db.query(
    sql`update contract set inspected_at = ${now}, implementation = ${implementation},
        updated_at = case when implementation is distinct from ${implementation} then ${now} else updated_at end
      where tenant_id = ${contract.tenantId} and id = ${contract.id}`,
  );
}

import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { assertHolder } from './cursor.ts';

/** A halt of a chain that its tenants were alerted of: `after` is the last block before it, -1 where none was ever seen. */
export type ChainHalt = { after: number; at: number };

export async function findHalt(db: Db, chainUid: string): Promise<ChainHalt | undefined> {
  const rows = await db.query<ChainHalt>(
    sql`select halted_after as after, halted_at as at from chain_cursor
      where chain_uid = ${chainUid} and halted_after is not null`,
  );
  return rows[0];
}

/** Records that tenants are alerted of a halt, or of its end; the lock that goes with it lets one process do so. */
export async function saveHalt(
  tx: Db,
  { chainUid, holder }: { chainUid: string; holder: string },
  halt: ChainHalt | undefined,
): Promise<void> {
  await assertHolder(tx, chainUid, holder);
  await tx.query(
    sql`update chain_cursor set halted_after = ${halt?.after ?? null}::bigint, halted_at = ${halt?.at ?? null}::bigint
      where chain_uid = ${chainUid}`,
  );
}

/** Tenants that have an active `chain_halt` of their own on the chain. */
export async function findHaltWatchers(db: Db, chainUid: string): Promise<Set<number>> {
  const rows = await db.query<{ tenantId: number }>(
    sql`select distinct d.tenant_id as "tenantId" from detector d
        join detector_schema s on s.id = d.schema_id and s.name = 'chain_halt'
        join contract c on c.tenant_id = d.tenant_id and c.id = d.contract_id
      where c.chain_uid = ${chainUid} and c.status = 'ACTIVE' and d.status = 'ACTIVE' and d.source <> 'EXTERNAL'`,
  );
  return new Set(rows.map(({ tenantId }) => tenantId));
}

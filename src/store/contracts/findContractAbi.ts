import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** The ABI that a contract was given; empty when it has none. */
export async function findContractAbi(
  db: Db,
  tenantId: number,
  contractId: number,
): Promise<readonly unknown[]> {
  const [row] = await db.prepared<{ abi: unknown[] | null }>(
    sql`select abi from contract where tenant_id = ${tenantId} and id = ${contractId}`,
  );
  return row?.abi ?? [];
}

/** The address of a contract as it is matched; undefined for one that does not exist. */
export async function findContractAddress(
  db: Db,
  tenantId: number,
  contractId: number,
): Promise<string | undefined> {
  const [row] = await db.prepared<{ address: string }>(
    sql`select canonical_address as address from contract where tenant_id = ${tenantId} and id = ${contractId}`,
  );
  return row?.address;
}

import { sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import { contractTable } from '../tables/contractTable.ts';

/** An ABI may have megabytes. */
const maxAbis = 100;

/** The ABIs of contracts that the caller may see, by canonical address; of several of one address the newest. */
export async function listContractAbis(
  db: Db,
  scope: Scope,
  chainUid: string,
  addresses: readonly string[],
): Promise<Map<string, readonly unknown[]>> {
  const rows = await db.query<{ address: string; abi: unknown[] }>(
    sql`select t.canonical_address as address, t.abi from contract t
      where t.canonical_address = any(${addresses}) and t.chain_uid = ${chainUid} and t.status <> 'DELETED'
        and t.abi is not null and ${contractTable.visible(scope)}
      order by t.id limit ${maxAbis}`,
  );
  return new Map(rows.map(({ address, abi }) => [address, abi]));
}

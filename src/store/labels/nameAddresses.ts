import { sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import { contractTable } from '../tables/contractTable.ts';
import { labelTable } from '../tables/labelTable.ts';
import { walletTable } from '../tables/walletTable.ts';
import { addressHash } from './addressHash.ts';

export const addressKinds = ['contract', 'wallet', 'label'] as const;

export type NamedAddress = {
  address: string;
  type: (typeof addressKinds)[number];
  /** Of the contract. */
  id: number | null;
  name: string;
  /** Of the label, and how suspicious that says the address is. */
  tags: string[];
  score: number | null;
};

/** Names of these addresses (in canonical spelling) for the caller: own contracts and wallets, then labels. */
export async function nameAddresses(
  db: Db,
  scope: Scope,
  chainUid: string | null,
  addresses: readonly string[],
): Promise<NamedAddress[]> {
  const hashes = addresses.map((address) => String(addressHash(address)));
  return db.query<NamedAddress>(
    sql`select t.canonical_address as address, 'contract' as type, t.id, t.name, '{}'::text[] as tags,
        null::int as score
      from contract t
      where t.canonical_address = any(${addresses}) and t.status = 'ACTIVE' and ${contractTable.visible(scope)}
        and (${chainUid}::text is null or t.chain_uid = ${chainUid})
      union
      select case when t.address = any(${addresses}) then t.address else lower(t.address) end, 'wallet', null, t.name,
        '{}', null
      from wallet t
      where (t.address = any(${addresses}) or lower(t.address) = any(${addresses})) and t.status <> 'DELETED'
        and ${walletTable.visible(scope)} and (${chainUid}::text is null or t.chain_uid = ${chainUid})
      union
      select t.address, 'label', null, coalesce(t.name, array_to_string(t.tags, ', ')), t.tags, t.score
      from unnest(${hashes}::bigint[], ${addresses}::text[]) wanted(hash, address)
      join address_label t on t.address_hash = wanted.hash and t.address = wanted.address
      where t.status = 'ACTIVE' and ${labelTable.visible(scope)}
        and (${chainUid}::text is null or t.chain_uid is null or t.chain_uid = ${chainUid})
      order by 1, 2, 4`,
  );
}

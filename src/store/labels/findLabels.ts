import { raw, sql } from '../../lib/sql.ts';
import type { AddressLabel } from '../../model/label.ts';
import type { Db } from '../db/db.ts';
import { addressHash } from './addressHash.ts';

/** Active labels of these addresses (in canonical spelling), the platform's and those of all tenants. */
export async function findLabels(
  db: Db,
  { chainUid, addresses }: { chainUid: string; addresses: readonly string[] },
): Promise<AddressLabel[]> {
  if (addresses.length === 0) return [];
  const wanted = [...new Set(addresses)];
  return db.prepared<AddressLabel>(
    sql`select ${members}
      from unnest(${wanted.map((address) => String(addressHash(address)))}::bigint[], ${wanted}::text[])
        as wanted (hash, address)
      join address_label t on t.address_hash = wanted.hash and t.address = wanted.address
      where t.status = 'ACTIVE' and (t.chain_uid is null or t.chain_uid = ${chainUid})
      order by t.id`,
  );
}

/** Active labels with any of these tags that hold on the chain and suspect the address, the platform's and those of all tenants. */
export async function listLabelledAddresses(
  db: Db,
  { chainUid, tags }: { chainUid: string; tags: readonly string[] },
): Promise<AddressLabel[]> {
  return db.prepared<AddressLabel>(
    sql`select ${members} from address_label t
      where t.status = 'ACTIVE' and t.tags && ${tags}::text[] and t.score > 0
        and (t.chain_uid is null or t.chain_uid = ${chainUid})
      order by t.id`,
  );
}

const members = raw(
  't.id, t.tenant_id as "tenantId", t.chain_uid as "chainUid", t.address, t.name, t.tags, t.score, t.source, t.note',
);

import { Address, Secp256k1 } from 'ox';
import { sql } from '../../src/lib/sql.ts';
import type { Keyring } from '../../src/model/keyring.ts';
import type { Store } from '../../src/store/db/db.ts';
import { privateKeyRef } from '../../src/wallets/walletKey.ts';

/** An account without code, so that every call of it succeeds. */
export const guard = '0x00000000000000000000000000000000000000aA';

/** A tenant with three wallets and as many detectors; each fires an action of its own wallet. */
export async function createArmedTenant(
  store: Store,
  keyring: Keyring,
): Promise<{ id: number; address: string }[]> {
  await store.query(sql`insert into tenant (created_at, updated_at, name) values (1, 1, 'bench')`);
  await store.query(
    sql`insert into project (tenant_id, created_at, updated_at, name) values (1, 1, 1, 'bench')`,
  );
  await store.query(
    sql`insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name)
      values (1, 1, 1, 1, 'anvil', ${guard}, ${guard.toLowerCase()}, 'Vault')`,
  );
  await store.query(
    sql`insert into detector_schema (created_at, updated_at, title, name, version) values (1, 1, 'B', 'bench', '1')`,
  );
  const funcAbi = {
    type: 'function',
    name: 'freeze',
    inputs: [
      { type: 'address', name: 'who' },
      { type: 'uint256', name: 'amount' },
    ],
    outputs: [],
    stateMutability: 'nonpayable',
  };
  const wallets: { id: number; address: string }[] = [];
  for (let id = 1; id <= 3; id++) {
    const key = Secp256k1.randomPrivateKey();
    const address = Address.checksum(Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey: key })));
    const sealed = keyring.seal(privateKeyRef({ tenantId: 1, walletId: id }), key.slice(2));
    await store.query(
      sql`insert into wallet (id, tenant_id, created_at, updated_at, chain_uid, address, name, type, sealed_key)
        values (${id}, 1, 1, 1, 'anvil', ${address}, 'Guardian', 'DEFAULT', ${sealed})`,
    );
    await store.query(
      sql`insert into detector (id, tenant_id, contract_id, schema_id, created_at, updated_at, name, source)
        values (${id}, 1, 1, 1, 1, 1, 'Detector', 'PLATFORM')`,
    );
    await store.query(
      sql`insert into action (id, tenant_id, contract_id, wallet_id, created_at, updated_at, name, func_signature, func_abi, fire_at)
        values (${id}, 1, 1, ${id}, 1, 1, 'Freeze', 'freeze(address who, uint256 amount)', ${JSON.stringify(funcAbi)}, 'head')`,
    );
    await store.query(
      sql`insert into action_detector (tenant_id, action_id, detector_id, created_at, updated_at, script_filter, script_params)
        values (1, ${id}, ${id}, 1, 1, 'e.numericSeverity >= 30', ${JSON.stringify({ who: 'e.meta.from', amount: 'e.meta.amount' })})`,
    );
    wallets.push({ id, address });
  }
  return wallets;
}

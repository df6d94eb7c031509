import { empty, sql } from '../../lib/sql.ts';
import type { AllowedCall } from '../../model/action.ts';
import type { Db } from '../db/db.ts';

export type WalletRef = { tenantId: number; walletId: number };

/** A key is sealed in the row, or named by its id in the module. */
export type WalletKey = {
  chainUid: string;
  address: string;
  sealedKey: Buffer | null;
  moduleKeyId: string | null;
};

/** The key of the wallet's address, or of a former one. Also of a deleted wallet, whose calls may still be under way. */
export async function findWalletKey(
  db: Db,
  { tenantId, walletId }: WalletRef,
  address?: string,
): Promise<WalletKey | undefined> {
  const rows = await db.prepared<WalletKey>(
    sql`select w.chain_uid as "chainUid", k.address, k.sealed_key as "sealedKey", k.module_key_id as "moduleKeyId"
      from wallet w, lateral (
        select w.address, w.sealed_key, w.module_key_id, 0 as age
        union all
        select k.address, k.sealed_key, k.module_key_id, 1 from wallet_key k
          where k.tenant_id = w.tenant_id and k.wallet_id = w.id
      ) k
      where w.tenant_id = ${tenantId} and w.id = ${walletId}
        and k.address = coalesce(${address ?? null}::text, w.address)
      order by k.age limit 1`,
  );
  return rows[0];
}

/** Copies the wallet's key to its former keys; the caller has locked the wallet and replaces the key. */
export async function archiveWalletKey(
  tx: Db,
  { tenantId, walletId }: WalletRef,
  now: number,
): Promise<void> {
  await tx.query(
    sql`insert into wallet_key (tenant_id, wallet_id, created_at, updated_at, state, address, sealed_key, module_key_id)
      select tenant_id, id, ${now}, ${now}, 'DRAINING', address, sealed_key, module_key_id from wallet
      where tenant_id = ${tenantId} and id = ${walletId}`,
  );
}

export type DrainingKey = { id: number; chainUid: string; address: string; createdAt: number };

/** Former keys whose address may still hold something, newest first; of one wallet or of all. */
export async function findDrainingKeys(db: Db, wallet?: WalletRef): Promise<DrainingKey[]> {
  const filter = wallet
    ? sql`and k.tenant_id = ${wallet.tenantId} and k.wallet_id = ${wallet.walletId}`
    : empty;
  return db.query<DrainingKey>(
    sql`select k.id, w.chain_uid as "chainUid", k.address, k.created_at as "createdAt"
      from wallet_key k join wallet w on w.tenant_id = k.tenant_id and w.id = k.wallet_id
      where k.state = 'DRAINING' ${filter} order by k.id desc`,
  );
}

export async function retireKeys(db: Db, ids: readonly number[], now: number): Promise<void> {
  await db.query(
    sql`update wallet_key set state = 'RETIRED', updated_at = ${now}
      where id = any(${ids}::bigint[]) and state = 'DRAINING'`,
  );
}

export async function findWalletLimits(
  db: Db,
  { tenantId, walletId }: WalletRef,
): Promise<{ maxGasPrice: string | null; maxHourlySpend: string | null }> {
  const [limits] = await db.query<{ maxGasPrice: string | null; maxHourlySpend: string | null }>(
    sql`select max_gas_price::text as "maxGasPrice", max_hourly_spend::text as "maxHourlySpend" from wallet
      where tenant_id = ${tenantId} and id = ${walletId}`,
  );
  return limits ?? { maxGasPrice: null, maxHourlySpend: null };
}

/** Null means every contract of the tenant. */
export async function findAllowedCalls(
  db: Db,
  { tenantId, walletId }: WalletRef,
): Promise<AllowedCall[] | null> {
  const [row] = await db.query<{ allowedCalls: AllowedCall[] | null }>(
    sql`select allowed_calls as "allowedCalls" from wallet where tenant_id = ${tenantId} and id = ${walletId}`,
  );
  return row?.allowedCalls ?? null;
}

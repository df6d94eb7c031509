import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { IntendedCall } from '../../model/action.ts';
import type { Db } from '../db/db.ts';
import type { WalletRef } from '../wallets/walletKeys.ts';
import { type IntentKey, isDeepEnough, mayFire } from './claimIntents.ts';

/** A wallet address on a network; the first alias of the network is stored. */
export type NonceLaneKey = { aliases: readonly string[]; address: string };

export type NonceLane = { nextNonce: number; behindSince: number | null; isIdle: boolean };

/** Holds the address's nonces until the transaction ends; a new lane starts at `first`. */
export async function lockNonceLane(
  tx: Db,
  { aliases, address }: NonceLaneKey,
  first: number,
): Promise<NonceLane> {
  await tx.prepared(
    sql`insert into nonce_lane (chain_uid, address, next_nonce) values (${aliases[0]}, ${address}, ${first}::bigint)
      on conflict do nothing`,
  );
  const [lane] = await tx.prepared<Omit<NonceLane, 'isIdle'>>(
    sql`select next_nonce as "nextNonce", behind_since as "behindSince" from nonce_lane
      where chain_uid = ${aliases[0]} and address = ${address} for update`,
  );
  const [busy] = await tx.prepared(
    sql`select 1 from action_intent where chain_uid = any(${aliases}::text[]) and state in ('SIGNED', 'SUBMITTED')
      and address = ${address} limit 1`,
  );
  if (!lane) throw new Error(`The nonce lane of ${address} disappeared while it was locked.`);
  return { ...lane, isIdle: busy === undefined };
}

/** The inputs that calls of the address under way spend. */
export async function findInputsUnderWay(db: Db, { aliases, address }: NonceLaneKey): Promise<string[]> {
  const rows = await db.prepared<{ input: string }>(
    sql`select unnest(inputs) as input from action_intent where chain_uid = any(${aliases}::text[])
      and state in ('SIGNED', 'SUBMITTED') and address = ${address}`,
  );
  return rows.map(({ input }) => input);
}

export async function moveNonceLane(
  tx: Db,
  { aliases, address }: NonceLaneKey,
  nextNonce: number,
  behindSince: number | null,
): Promise<void> {
  await tx.prepared(
    sql`update nonce_lane set next_nonce = ${nextNonce}::bigint, behind_since = ${behindSince}::bigint
      where chain_uid = ${aliases[0]} and address = ${address}`,
  );
}

/**
 * The intents that may still be signed: not cancelled, signed elsewhere, or halted, of an active tenant. One whose
 * block was reorganised since its claim waits for confirmations again.
 */
export async function lockWaiting(tx: Db, tenantId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.prepared<{ id: number }>(
    sql`select i.id from action_intent i join tenant n on n.id = i.tenant_id
      where i.tenant_id = ${tenantId}::bigint and i.id = any(${ids}::bigint[]) and i.state = 'WAITING' and ${mayFire}
        and ${isDeepEnough}
      order by i.id for no key update of i`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** True if this is still the intent's last transaction: no other process has ended it or signed for it since. */
export async function lockSent(tx: Db, { tenantId, id }: IntentKey, lastHash: string): Promise<boolean> {
  const rows = await tx.prepared(
    sql`select 1 from action_intent i where i.tenant_id = ${tenantId} and i.id = ${id}
      and i.state in ('SIGNED', 'SUBMITTED')
      and i.tx_hash = ${lastHash} for no key update of i`,
  );
  return rows.length > 0;
}

/** Reads the wallet's spending and holds its budget until the transaction ends. */
export async function lockSpending(
  tx: Db,
  wallet: WalletRef,
  since: number,
  exceptIntentId = 0,
): Promise<Spending> {
  await tx.prepared(
    sql`select 1 from wallet where tenant_id = ${wallet.tenantId} and id = ${wallet.walletId} for no key update`,
  );
  return findSpending(tx, wallet, since, exceptIntentId);
}

export type Spending = { spent: bigint; reserved: bigint };

/**
 * `reserved`: greatest cost of the wallet's calls under way, which may still be mined. `spent`: the cost of calls that
 * ended since then, added to it. One intent may be left out.
 */
export async function findSpending(
  tx: Db,
  { tenantId, walletId }: WalletRef,
  since: number,
  exceptIntentId = 0,
): Promise<Spending> {
  const [row] = await tx.prepared<{ spent: string; reserved: string }>(
    sql`select coalesce(sum(cost), 0)::text as spent,
        coalesce(sum(cost) filter (where state in ('SIGNED', 'SUBMITTED')), 0)::text as reserved
      from action_intent where tenant_id = ${tenantId} and wallet_id = ${walletId} and id <> ${exceptIntentId}::bigint
        and signed_at is not null and (updated_at > ${since}::bigint or state in ('SIGNED', 'SUBMITTED'))`,
  );
  return { spent: BigInt(row?.spent ?? 0), reserved: BigInt(row?.reserved ?? 0) };
}

export type SignedAttempt = IntentKey & {
  attempt: number;
  hash: string;
  raw: string;
  maxFee: bigint;
  tip: bigint | null;
  isVoid: boolean;
  cost: bigint;
  validUntil: number | null;
};

/** Stores the signed transactions before they are broadcast. */
export async function insertAttempts(tx: Db, attempts: readonly SignedAttempt[], now: number): Promise<void> {
  const rows = attempts.map(({ maxFee, tip, cost, ...rest }) => ({
    ...rest,
    maxFee: String(maxFee),
    tip: tip === null ? null : String(tip),
    cost: String(cost),
  }));
  await tx.prepared(
    sql`with signed as (select * from json_to_recordset(${storableJson(rows)}::json) as s("tenantId" bigint, id bigint,
          attempt int, hash text, raw text, "maxFee" numeric, tip numeric, "isVoid" boolean, cost numeric,
          "validUntil" bigint)),
      stored as (
        insert into action_transaction (tenant_id, intent_id, attempt, hash, raw, max_fee, tip, is_void, valid_until,
          created_at)
        select "tenantId", id, attempt, hash, raw, "maxFee", tip, "isVoid", "validUntil", ${now}::bigint from signed)
      update action_intent i set tx_hash = s.hash, cost = s.cost, updated_at = ${now}::bigint
      from signed s where i.tenant_id = s."tenantId" and i.id = s.id`,
  );
}

export type SignedIntent = IntentKey & {
  walletId: number;
  nonce: number | null;
  inputs: readonly string[] | null;
  call: IntendedCall;
};

export async function markSigned(
  tx: Db,
  intents: readonly SignedIntent[],
  address: string,
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`update action_intent i set state = 'SIGNED', reason = null, wallet_id = s."walletId",
      address = ${address}::text,
        nonce = s.nonce, inputs = s.inputs, call = s.call, signed_at = ${now}::bigint, updated_at = ${now}::bigint
      from json_to_recordset(${storableJson(intents)}::json) as s("tenantId" bigint, id bigint, "walletId" bigint,
        nonce bigint, inputs text[], call jsonb)
      where i.tenant_id = s."tenantId" and i.id = s.id`,
  );
}

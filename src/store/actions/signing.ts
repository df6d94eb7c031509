import { sql } from '../../lib/sql.ts';
import { storableJson } from '../../lib/storableJson.ts';
import type { IntendedCall } from '../../model/action.ts';
import type { Db } from '../db.ts';
import { type IntentKey, isDeepEnough, mayFire } from './claimIntents.ts';

/** A wallet address on a chain, with all names by which the chain goes; the first one is written down. */
export type LaneKey = { names: readonly string[]; address: string };

export type Lane = { nextNonce: number; behindSince: number | null; isIdle: boolean };

/** Keeps everybody else from signing for the address until the transaction ends; a new lane starts at `first`. */
export async function lockLane(tx: Db, { names, address }: LaneKey, first: number): Promise<Lane> {
  await tx.prepared(
    sql`insert into nonce_lane (chain_uid, address, next_nonce) values (${names[0]}, ${address}, ${first}::bigint)
      on conflict do nothing`,
  );
  const [lane] = await tx.prepared<Omit<Lane, 'isIdle'>>(
    sql`select next_nonce as "nextNonce", behind_since as "behindSince" from nonce_lane
      where chain_uid = ${names[0]} and address = ${address} for update`,
  );
  const [busy] = await tx.prepared(
    sql`select 1 from action_intent where chain_uid = any(${names}::text[]) and state in ('SIGNED', 'SUBMITTED')
      and address = ${address} limit 1`,
  );
  return { ...lane!, isIdle: busy === undefined };
}

export async function moveLane(
  tx: Db,
  { names, address }: LaneKey,
  nextNonce: number,
  behindSince: number | null,
): Promise<void> {
  await tx.prepared(
    sql`update nonce_lane set next_nonce = ${nextNonce}::bigint, behind_since = ${behindSince}::bigint
      where chain_uid = ${names[0]} and address = ${address}`,
  );
}

/**
 * Which of these may still be signed: not cancelled meanwhile, not signed by another process, not halted, of a tenant that
 * is active. One whose block went and came back since it was claimed has to wait for its depth again.
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

/** Whether no other process has seen its end or signed for it since this was the last of its transactions. */
export async function lockSent(tx: Db, { tenantId, id }: IntentKey, lastHash: string): Promise<boolean> {
  const rows = await tx.prepared(
    sql`select 1 from action_intent i where i.tenant_id = ${tenantId} and i.id = ${id} and i.state in ('SIGNED', 'SUBMITTED')
      and i.tx_hash = ${lastHash} for no key update of i`,
  );
  return rows.length > 0;
}

/** Keeps everybody else from spending what the wallet may spend until the transaction ends. */
export async function lockSpending(
  tx: Db,
  { tenantId, walletId }: { tenantId: number; walletId: number },
): Promise<void> {
  await tx.prepared(
    sql`select 1 from wallet where tenant_id = ${tenantId} and id = ${walletId} for no key update`,
  );
}

/**
 * What the wallet's calls cost that came to their end since then, with what those under way may cost, whenever they were
 * signed, because they may still be mined; and the latter alone. All but `except`.
 */
export async function findSpending(
  tx: Db,
  { tenantId, walletId }: { tenantId: number; walletId: number },
  since: number,
  except = 0,
): Promise<{ spent: bigint; reserved: bigint }> {
  const [row] = await tx.prepared<{ spent: string; reserved: string }>(
    sql`select coalesce(sum(cost), 0)::text as spent,
        coalesce(sum(cost) filter (where state in ('SIGNED', 'SUBMITTED')), 0)::text as reserved
      from action_intent where tenant_id = ${tenantId} and wallet_id = ${walletId} and id <> ${except}::bigint
        and signed_at is not null and (updated_at > ${since}::bigint or state in ('SIGNED', 'SUBMITTED'))`,
  );
  return { spent: BigInt(row!.spent), reserved: BigInt(row!.reserved) };
}

export type SignedAttempt = IntentKey & {
  attempt: number;
  hash: string;
  raw: string;
  maxFee: bigint;
  tip: bigint | null;
  isVoid: boolean;
  cost: bigint;
};

/** Stores what was signed, before anybody else sees it. */
export async function insertAttempts(tx: Db, attempts: readonly SignedAttempt[], now: number): Promise<void> {
  const rows = attempts.map(({ maxFee, tip, cost, ...rest }) => ({
    ...rest,
    maxFee: String(maxFee),
    tip: tip === null ? null : String(tip),
    cost: String(cost),
  }));
  await tx.prepared(
    sql`with signed as (select * from json_to_recordset(${storableJson(rows)}::json) as s("tenantId" bigint, id bigint,
          attempt int, hash text, raw text, "maxFee" numeric, tip numeric, "isVoid" boolean, cost numeric)),
      stored as (
        insert into action_transaction (tenant_id, intent_id, attempt, hash, raw, max_fee, tip, is_void, created_at)
        select "tenantId", id, attempt, hash, raw, "maxFee", tip, "isVoid", ${now}::bigint from signed)
      update action_intent i set tx_hash = s.hash, cost = s.cost, updated_at = ${now}::bigint
      from signed s where i.tenant_id = s."tenantId" and i.id = s.id`,
  );
}

export type SignedIntent = IntentKey & { walletId: number; nonce: number; call: IntendedCall };

export async function markSigned(
  tx: Db,
  intents: readonly SignedIntent[],
  address: string,
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`update action_intent i set state = 'SIGNED', reason = null, wallet_id = s."walletId", address = ${address}::text,
        nonce = s.nonce, call = s.call, signed_at = ${now}::bigint, updated_at = ${now}::bigint
      from json_to_recordset(${storableJson(intents)}::json) as s("tenantId" bigint, id bigint, "walletId" bigint,
        nonce bigint, call jsonb)
      where i.tenant_id = s."tenantId" and i.id = s.id`,
  );
}

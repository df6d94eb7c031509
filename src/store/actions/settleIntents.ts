import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { IntentState } from '../../model/action.ts';
import type { Db } from '../db/db.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import type { IntentKey } from './claimIntents.ts';
import { retractedReason } from './insertIntents.ts';

/** Without `mined` the cost becomes zero, which releases what was reserved. */
export type SettledIntent = IntentKey & {
  state: Extract<IntentState, 'CONFIRMED' | 'FAILED' | 'SKIPPED' | 'CANCELED'>;
  reason: string | null;
  mined: { txHash: string; block: number; cost: bigint } | null;
  /** Its last transaction when the end was found; null if there was none. */
  lastHash: string | null;
};

/** Ends intents and returns the ids of those that were not ended before. One with a newer transaction stays open. */
export async function settleIntents(
  tx: Db,
  settled: readonly SettledIntent[],
  now: number,
): Promise<Set<number>> {
  const rows = settled.map(({ mined, ...rest }) => ({
    ...rest,
    txHash: mined?.txHash ?? null,
    block: mined?.block ?? null,
    cost: String(mined?.cost ?? 0n),
  }));
  const changed = await tx.prepared<{ id: number }>(
    // One that was called off makes room for another: the same transaction may come back.
    sql`update action_intent i set state = s.state, reason = s.reason,
        binding = case when s.state = 'CANCELED' and i.unwanted_at is not null
          then i.binding || ' called off ' || i.id else i.binding end, tx_hash = coalesce(s."txHash", i.tx_hash),
        mined_block = s.block, cost = s.cost, lease_until = null, updated_at = ${now}::bigint
      from json_to_recordset(${storableJson(rows)}::json) as s("tenantId" bigint, id bigint, state text, reason text,
        "txHash" text, block bigint, cost numeric, "lastHash" text)
      where i.tenant_id = s."tenantId" and i.id = s.id and i.state in ('WAITING', 'SIGNED', 'SUBMITTED')
        and i.tx_hash is not distinct from s."lastHash"
      returning i.id`,
  );
  return new Set(changed.map(({ id }) => id));
}

/**
 * Lets intents wait again whose every transaction has expired at a block that is final, as if they had never been signed;
 * one whose alert was retracted since then is cancelled.
 */
export async function reopenExpired(
  tx: Db,
  expired: readonly (IntentKey & { lastHash: string })[],
  now: number,
): Promise<void> {
  const keys = sql`unnest(${expired.map(({ tenantId }) => tenantId)}::bigint[],
    ${expired.map(({ id }) => id)}::bigint[], ${expired.map(({ lastHash }) => lastHash)}::text[])
    k(tenant_id, id, hash)`;
  // Held, so that a retraction under way is either seen here or finds the intents waiting.
  const fired = await tx.prepared<{ tenantId: number; uid: string; timestamp: number }>(
    sql`select i.tenant_id as "tenantId", i.alert_uid::text as uid, i.alert_timestamp as timestamp
      from action_intent i join ${keys} on i.tenant_id = k.tenant_id and i.id = k.id`,
  );
  const alerts = await perTenant(tx, fired, (of, ofTenant) =>
    tx.prepared<{ uid: string; isRetracted: boolean }>(
      sql`select t.uid::text, t.retracted_at is not null as "isRetracted"
        from unnest(${of.map(({ tenantId }) => tenantId)}::bigint[],
          ${of.map(({ timestamp }) => timestamp)}::bigint[], ${of.map(({ uid }) => uid)}::uuid[])
          k(tenant_id, timestamp, uid)
        join alert t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid
        where ${ofTenant('t')} for share of t`,
    ),
  );
  const uids = alerts.flatMap(({ uid, isRetracted }) => (isRetracted ? [uid] : []));
  await tx.prepared(
    sql`update action_intent i set
        state = case when i.alert_uid = any(${uids}::uuid[]) then 'CANCELED' else 'WAITING' end,
        reason = case when i.alert_uid = any(${uids}::uuid[]) then ${retractedReason}::text
          else ${expiredReason}::text end,
        tx_hash = null, signed_at = null, cost = 0, lease_until = null, next_attempt_at = ${now}::bigint,
        updated_at = ${now}::bigint
      from ${keys}
      where i.tenant_id = k.tenant_id and i.id = k.id and i.state in ('SIGNED', 'SUBMITTED') and i.tx_hash = k.hash`,
  );
}

const expiredReason = 'No block took its transaction before that expired; it is signed again.';

/** Returns the ids of those that were not marked as sent before. */
export async function markSubmitted(tx: Db, keys: readonly IntentKey[], now: number): Promise<Set<number>> {
  const rows = await tx.prepared<{ id: number }>(
    sql`update action_intent i set state = 'SUBMITTED', reason = null, updated_at = ${now}::bigint
      from unnest(${keys.map(({ tenantId }) => tenantId)}::bigint[],
        ${keys.map(({ id }) => id)}::bigint[]) k(tenant_id, id)
      where i.tenant_id = k.tenant_id and i.id = k.id and i.state = 'SIGNED' returning i.id`,
  );
  return new Set(rows.map(({ id }) => id));
}

export async function markBroadcast(
  db: Db,
  sent: readonly (IntentKey & { attempt: number })[],
  now: number,
): Promise<void> {
  await db.prepared(
    sql`update action_transaction a set broadcast_at = ${now}::bigint
      from unnest(${sent.map(({ tenantId }) => tenantId)}::bigint[], ${sent.map(({ id }) => id)}::bigint[],
        ${sent.map(({ attempt }) => attempt)}::int[]) k(tenant_id, id, attempt)
      where a.tenant_id = k.tenant_id and a.intent_id = k.id and a.attempt = k.attempt`,
  );
}

export type PostponedIntent = IntentKey & { at: number; reason?: string };

/** Releases open intents until `at`. Without a `reason` the stored one stays; an empty one clears it. */
export async function postponeIntents(db: Db, postponed: readonly PostponedIntent[]): Promise<void> {
  if (postponed.length === 0) return;
  await db.prepared(
    sql`update action_intent i set next_attempt_at = p.at, lease_until = null,
        reason = case when p.reason is null then i.reason else nullif(left(p.reason, 500), '') end
      from json_to_recordset(${storableJson(postponed)}::json) as p("tenantId" bigint, id bigint, at bigint,
        reason text)
      where i.tenant_id = p."tenantId" and i.id = p.id and i.state in ('WAITING', 'SIGNED', 'SUBMITTED')`,
  );
}

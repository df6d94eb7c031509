import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { IntentState } from '../../model/action.ts';
import type { Db } from '../db.ts';
import type { IntentKey } from './claimIntents.ts';

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
    sql`update action_intent i set state = s.state, reason = s.reason, tx_hash = coalesce(s."txHash", i.tx_hash),
        mined_block = s.block, cost = s.cost, lease_until = null, updated_at = ${now}::bigint
      from json_to_recordset(${storableJson(rows)}::json) as s("tenantId" bigint, id bigint, state text, reason text,
        "txHash" text, block bigint, cost numeric, "lastHash" text)
      where i.tenant_id = s."tenantId" and i.id = s.id and i.state in ('WAITING', 'SIGNED', 'SUBMITTED')
        and i.tx_hash is not distinct from s."lastHash"
      returning i.id`,
  );
  return new Set(changed.map(({ id }) => id));
}

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

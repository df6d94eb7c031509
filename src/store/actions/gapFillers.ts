import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { IntendedCall } from '../../model/action.ts';
import type { Db } from '../db/db.ts';
import type { IntentKey } from './claimIntents.ts';
import type { NonceLaneKey } from './signing.ts';

/** The binding of intents that fill a nonce gap: empty calls for nonces that are missing below that of another intent. */
export const gapFillerBinding = 'filler';

/** True if no transaction of the wallet under way has a lower nonce. */
export async function isLowestNonce(
  tx: Db,
  { aliases, address }: NonceLaneKey,
  nonce: number,
): Promise<boolean> {
  const rows = await tx.prepared(
    sql`select 1 from action_intent where chain_uid = any(${aliases}::text[]) and address = ${address}
        and nonce < ${nonce}::bigint and state in ('SIGNED', 'SUBMITTED') limit 1`,
  );
  return rows.length === 0;
}

/** Inserts an intent for each of these nonces, signed by the wallet of the intent that they block; returns their ids in order. */
export async function insertGapFillers(
  tx: Db,
  { tenantId, id }: IntentKey,
  call: IntendedCall,
  nonces: readonly number[],
  now: number,
): Promise<number[]> {
  const rows = await tx.prepared<{ id: number; nonce: number }>(
    sql`insert into action_intent (tenant_id, action_id, binding, contract_id, wallet_id, chain_uid, severity, fire_at,
        state, call, address, nonce, signed_at, created_at, updated_at, next_attempt_at)
      select i.tenant_id, i.action_id, ${gapFillerBinding}::text, i.contract_id, i.wallet_id, i.chain_uid, i.severity,
        'head', 'SIGNED', ${storableJson(call)}::jsonb, i.address, m.nonce, ${now}::bigint, ${now}::bigint,
        ${now}::bigint, ${now}::bigint
      from action_intent i, unnest(${nonces}::bigint[]) m(nonce)
      where i.tenant_id = ${tenantId} and i.id = ${id} order by m.nonce returning id, nonce`,
  );
  return rows.sort((left, right) => left.nonce - right.nonce).map(({ id }) => id);
}

import { sql } from '../../lib/sql.ts';
import { storableJson } from '../../lib/storableJson.ts';
import type { IntendedCall } from '../../model/action.ts';
import type { Db } from '../db.ts';
import type { IntentKey } from './claimIntents.ts';
import type { LaneKey } from './signing.ts';

/** The binding of intents that call nothing: they use up numbers that are missing below those of another intent. */
export const fillerBinding = 'filler';

/** Whether nothing of the wallet that is under way has a lower number. */
export async function isLowest(tx: Db, { names, address }: LaneKey, nonce: number): Promise<boolean> {
  const rows = await tx.prepared(
    sql`select 1 from action_intent where chain_uid = any(${names}::text[]) and address = ${address}
        and nonce < ${nonce}::bigint and state in ('SIGNED', 'SUBMITTED') limit 1`,
  );
  return rows.length === 0;
}

/** An intent for each of these numbers, signed by the wallet of the one that they hold up; tells their ids. */
export async function insertFillers(
  tx: Db,
  { tenantId, id }: IntentKey,
  call: IntendedCall,
  nonces: readonly number[],
  now: number,
): Promise<Map<number, number>> {
  const rows = await tx.prepared<{ id: number; nonce: number }>(
    sql`insert into action_intent (tenant_id, action_id, binding, contract_id, wallet_id, chain_uid, severity, fire_at,
        state, call, address, nonce, signed_at, created_at, updated_at, next_attempt_at)
      select i.tenant_id, i.action_id, ${fillerBinding}::text, i.contract_id, i.wallet_id, i.chain_uid, i.severity, 'head',
        'SIGNED', ${storableJson(call)}::jsonb, i.address, m.nonce, ${now}::bigint, ${now}::bigint, ${now}::bigint, ${now}::bigint
      from action_intent i, unnest(${nonces}::bigint[]) m(nonce)
      where i.tenant_id = ${tenantId} and i.id = ${id} order by m.nonce returning id, nonce`,
  );
  return new Map(rows.map((row) => [row.nonce, row.id]));
}

import { empty, sql } from '../../lib/sql.ts';
import type { IntendedCall, IntentState } from '../../model/action.ts';
import type { Db } from '../db.ts';
import { actionJson, type FiredAction } from './claimIntents.ts';

/** An intent as its readers see it. */
export type IntentRecord = {
  uid: string;
  actionId: number;
  state: IntentState;
  reason: string | null;
  binding: string;
  alertUid: string | null;
  blockNumber: number | null;
  fireAt: string;
  createdAt: number;
  updatedAt: number;
  walletId: number;
  walletAddress: string | null;
  call: IntendedCall | null;
  nonce: number | null;
  txHash: string | null;
  minedBlock: number | null;
  cost: string;
  transactions: {
    hash: string;
    maxFeePerGas: string;
    maxPriorityFeePerGas: string | null;
    isVoid: boolean;
    createdAt: number;
    broadcastAt: number | null;
  }[];
};

type ActionPlace = { tenantId: number; id: number };

/** Newest first. */
export async function searchIntents(
  db: Db,
  action: ActionPlace,
  search: { from: number; size: number; state?: IntentState | undefined; uid?: string },
): Promise<IntentRecord[]> {
  return db.query<IntentRecord>(
    sql`select i.uid::text, i.action_id as "actionId", i.state, i.reason, i.binding, i.alert_uid::text as "alertUid",
        i.block_number as "blockNumber", i.fire_at as "fireAt", i.created_at as "createdAt", i.updated_at as "updatedAt",
        i.wallet_id as "walletId", i.address as "walletAddress", i.call, i.nonce, i.tx_hash as "txHash",
        i.mined_block as "minedBlock", i.cost::text,
        (select coalesce(json_agg(json_build_object('hash', a.hash, 'maxFeePerGas', a.max_fee::text,
            'maxPriorityFeePerGas', a.tip::text, 'isVoid', a.is_void, 'createdAt', a.created_at,
            'broadcastAt', a.broadcast_at) order by a.attempt), '[]'::json)
          from action_transaction a where a.tenant_id = i.tenant_id and a.intent_id = i.id) as transactions
      from action_intent i where i.tenant_id = ${action.tenantId} and i.action_id = ${action.id}
      ${search.state === undefined ? empty : sql`and i.state = ${search.state}`}
      ${search.uid === undefined ? empty : sql`and i.uid = ${search.uid}::uuid`}
      order by i.id desc limit ${search.size} offset ${search.from}`,
  );
}

export type ActionSetup = {
  action: FiredAction;
  fireAt: string;
  /** What fires it: `source` is the detector or the trigger alert. */
  bindings: {
    kind: 'detector' | 'trigger';
    source: number;
    filter: string | null;
    params: Record<string, string>;
  }[];
};

/** The action with everything that it takes to carry it out. */
export async function findActionSetup(db: Db, { tenantId, id }: ActionPlace): Promise<ActionSetup> {
  const [row] = await db.query<ActionSetup>(
    sql`select ${actionJson} as action, x.fire_at as "fireAt",
        (select coalesce(json_agg(b), '[]'::json) from (
          select 'detector' as kind, b.detector_id as source, b.script_filter as filter, b.script_params as params
          from action_detector b where b.tenant_id = x.tenant_id and b.action_id = x.id
          union all
          select 'trigger', b.trigger_alert_id, b.script_filter, b.script_params
          from action_trigger_alert b where b.tenant_id = x.tenant_id and b.action_id = x.id) b) as bindings
      from action x join contract c on c.tenant_id = x.tenant_id and c.id = x.contract_id
      join wallet w on w.tenant_id = x.tenant_id and w.id = x.wallet_id
      where x.tenant_id = ${tenantId} and x.id = ${id}`,
  );
  if (!row) throw new Error(`Action ${id} is gone.`);
  return row;
}

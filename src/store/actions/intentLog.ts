import { empty, type Sql, sql } from '../../lib/sql.ts';
import type { IntendedCall, IntentState } from '../../model/action.ts';
import type { Db } from '../db/db.ts';
import { actionJson, type ExecutableAction, isDeepEnough, mayFire } from './claimIntents.ts';

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

/** Explains why an intent without a stored reason waits. */
export type IntentWait = {
  chainUid: string;
  alertChainUid: string;
  /** The newest block of the alert's chain; null where it is not watched. */
  head: number | null;
  confirmed: number | null;
  isDeep: boolean;
  mayFire: boolean;
  /** The lowest nonce of the wallet that is under way. */
  lowestNonce: number | null;
};

type ActionKey = { tenantId: number; id: number };
export type FoundIntent = IntentRecord & { wait: IntentWait | null };

/** Newest first. */
export async function searchIntents(
  db: Db,
  action: ActionKey,
  search: { from: number; size: number; state?: IntentState | undefined; uid?: string },
): Promise<FoundIntent[]> {
  return selectIntents<FoundIntent>(
    db,
    empty,
    sql`i.tenant_id = ${action.tenantId} and i.action_id = ${action.id}
      ${search.state === undefined ? empty : sql`and i.state = ${search.state}`}
      ${search.uid === undefined ? empty : sql`and i.uid = ${search.uid}::uuid`}`,
    search,
  );
}

/** The intents that an alert fired, with the names of their actions and the chains that they run on; newest first. */
export type AlertIntent = FoundIntent & { actionName: string; chainUid: string };

export async function findAlertIntents(
  db: Db,
  { tenantId, alertUid }: { tenantId: number; alertUid: string },
  limit: number,
): Promise<AlertIntent[]> {
  return selectIntents<AlertIntent>(
    db,
    sql`i.chain_uid as "chainUid",
      (select x.name from action x where x.tenant_id = i.tenant_id and x.id = i.action_id) as "actionName",`,
    sql`i.tenant_id = ${tenantId} and i.alert_uid = ${alertUid}::uuid`,
    { from: 0, size: limit },
  );
}

async function selectIntents<Found extends FoundIntent>(
  db: Db,
  further: Sql,
  condition: Sql,
  { from, size }: { from: number; size: number },
): Promise<Found[]> {
  return db.query<Found>(
    sql`select ${further} i.uid::text, i.action_id as "actionId", i.state, i.reason, i.binding,
        i.alert_uid::text as "alertUid", i.block_number as "blockNumber", i.fire_at as "fireAt",
        i.created_at as "createdAt", i.updated_at as "updatedAt",
        i.wallet_id as "walletId", i.address as "walletAddress", i.call, i.nonce, i.tx_hash as "txHash",
        i.mined_block as "minedBlock", i.cost::text,
        (select coalesce(json_agg(json_build_object('hash', a.hash, 'maxFeePerGas', a.max_fee::text,
            'maxPriorityFeePerGas', a.tip::text, 'isVoid', a.is_void, 'createdAt', a.created_at,
            'broadcastAt', a.broadcast_at) order by a.attempt), '[]'::json)
          from action_transaction a where a.tenant_id = i.tenant_id and a.intent_id = i.id) as transactions,
        case when i.state in ('WAITING', 'SIGNED', 'SUBMITTED') then (
          select json_build_object('chainUid', i.chain_uid, 'alertChainUid', coalesce(i.alert_chain_uid, i.chain_uid),
            'head', k.head, 'confirmed', k.confirmed, 'isDeep', coalesce(${isDeepEnough}, false), 'mayFire', ${mayFire},
            'lowestNonce', (select min(sent.nonce) from action_intent sent where sent.chain_uid = i.chain_uid
              and sent.address = i.address and sent.state in ('SIGNED', 'SUBMITTED')))
          from tenant n left join chain_cursor k on k.chain_uid = coalesce(i.alert_chain_uid, i.chain_uid)
          where n.id = i.tenant_id) end as wait
      from action_intent i where ${condition} order by i.id desc limit ${size} offset ${from}`,
  );
}

export type ActionSetup = {
  action: ExecutableAction;
  fireAt: string;
  /** Bindings that fire it: `source` is the detector or the trigger alert. */
  bindings: {
    /** As intents name it. */
    name: string;
    kind: 'detector' | 'trigger';
    source: number;
    filter: string | null;
    params: Record<string, string>;
  }[];
};

/** The action with everything that executing it needs. */
export async function findActionSetup(db: Db, { tenantId, id }: ActionKey): Promise<ActionSetup> {
  const [row] = await db.query<ActionSetup>(
    sql`select ${actionJson} as action, x.fire_at as "fireAt",
        (select coalesce(json_agg(b), '[]'::json) from (
          select 'detector ' || b.id as name, 'detector' as kind, b.detector_id as source, b.script_filter as filter,
            b.script_params as params
          from action_detector b where b.tenant_id = x.tenant_id and b.action_id = x.id and b.status = 'ACTIVE'
          union all
          select 'trigger ' || b.id, 'trigger', b.trigger_alert_id, b.script_filter, b.script_params
          from action_trigger_alert b where b.tenant_id = x.tenant_id and b.action_id = x.id) b) as bindings
      from action x join contract c on c.tenant_id = x.tenant_id and c.id = x.contract_id
      join wallet w on w.tenant_id = x.tenant_id and w.id = x.wallet_id
      where x.tenant_id = ${tenantId} and x.id = ${id}`,
  );
  if (!row) throw new Error(`Action ${id} does not exist.`);
  return row;
}

type ActionFunction = Pick<ExecutableAction, 'funcAbi' | 'params'>;

/** The functions that these actions call, by action id. */
export async function findActionFunctions(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<Map<number, ActionFunction>> {
  const rows = await db.query<ActionFunction & { id: number }>(
    sql`select id, func_abi as "funcAbi", params from action
      where tenant_id = ${tenantId} and id = any(${ids}::bigint[])`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** These actions with everything that executing them needs, by id. */
export async function findScriptedActions(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<Map<number, ExecutableAction>> {
  const rows = await db.query<{ action: ExecutableAction }>(
    sql`select ${actionJson} as action from action x
      join contract c on c.tenant_id = x.tenant_id and c.id = x.contract_id
      join wallet w on w.tenant_id = x.tenant_id and w.id = x.wallet_id
      where x.tenant_id = ${tenantId} and x.id = any(${ids}::bigint[])`,
  );
  return new Map(rows.map(({ action }) => [action.id, action]));
}

import type { AbiFunction } from 'abitype';
import { raw, sql } from '../../lib/sql.ts';
import type { AllowedCall, IntendedCall, OpenParameter } from '../../model/action.ts';
import type { Severity } from '../../model/alert.ts';
import type { Db } from '../db/db.ts';

/** An action with everything that executing it needs. */
export type ExecutableAction = {
  id: number;
  tenantId: number;
  name: string;
  description: string | null;
  funcSignature: string;
  funcAbi: AbiFunction;
  params: { name: string; value: string }[];
  openParams: OpenParameter[];
  gasPrice: string;
  gasLimit: number | null;
  gasTip: string | null;
  isActive: boolean;
  contract: { id: number; projectId: number; address: string; name: string; chainUid: string };
  wallet: {
    id: number;
    name: string;
    chainUid: string;
    address: string;
    isActive: boolean;
    /** In gwei. */
    maxGasPrice: string | null;
    /** In the chain's currency. */
    maxHourlySpend: string | null;
    /** Null for every contract of the tenant. */
    allowedCalls: AllowedCall[] | null;
    /** A second user approves what its actions call; scripts then fill what an action leaves open alone. */
    requireApproval: boolean;
  };
};

export type IntentKey = { tenantId: number; id: number };

/** The part of an intent that its alerts report. */
export type Intent = IntentKey & {
  uid: string;
  binding: string;
  alertUid: string | null;
  severity: Severity;
  /** It must be mined before the pending transaction of its alert. */
  comesFirst: boolean;
  /** Price of that transaction; null when it is no longer pending. */
  ahead: { maxFee: string; tip: string | null } | null;
  action: ExecutableAction;
};

export type WaitingIntent = Intent & {
  isUrgent: boolean;
  /** Its place among the intents that were claimed with it. */
  turn: number;
  /** Reason that it still waits. */
  reason: string | null;
  /** Its block has the confirmations that `fireAt` asks for. */
  isDeep: boolean;
  /** Set when the tenant is not active, or has halted its actions since the intent was created. */
  stoppedBy: 'status' | 'halt' | null;
  alertTimestamp: number | null;
  createdAt: number;
  manualParams: Record<string, unknown>;
  /** Attempts that expired without a block taking them. */
  expiredAttempts: number;
  /** Number of timeouts in a row of the scripts of its binding. */
  timeouts: number;
  /** Null when its binding was removed; a manual run has neither filter nor scripts. */
  scripts: { filter: string | null; params: Record<string, string> } | null;
};

/** After a crash, another process takes over the claimed intents when this time ends; no step happens twice, because each checks the state. */
const intentLeaseMs = 15_000;

/** `i` is the intent. The confirmations are those of the alert's chain, which may differ from the action's. */
export const isDeepEnough =
  raw(`(i.fire_at in ('head', 'pending') or i.block_number is null or i.block_number <=
  (select confirmed from chain_cursor where chain_uid = coalesce(i.alert_chain_uid, i.chain_uid)))`);

/** `i` and `n` are the intent and its tenant. Intents created before a halt do not fire after the tenant resumes. */
export const mayFire = raw(`(n.status = 'ACTIVE' and n.halted_at is null and n.halt_count = i.halt_count)`);

/** Price of the pending transaction that the intent `i` must precede. */
const pendingPrice = raw(`case when i.fire_at = 'pending' then (
  select json_build_object('maxFee', p.max_fee::text, 'tip', p.tip::text) from pending_alert p
  where p.tenant_id = i.tenant_id and p.alert_uid = i.alert_uid and p.state = 'PENDING' limit 1) end`);

/** `x`, `c` and `w` are the action, its contract and its wallet. */
export const actionJson = raw(`json_build_object('id', x.id, 'tenantId', x.tenant_id, 'name', x.name,
  'description', x.description, 'funcSignature', x.func_signature, 'funcAbi', x.func_abi, 'params', x.params,
  'openParams', x.open_params, 'gasPrice', x.gas_price, 'gasLimit', x.gas_limit, 'gasTip', x.gas_tip,
  'isActive', x.status = 'ACTIVE' and c.status = 'ACTIVE',
  'contract', json_build_object('id', c.id, 'projectId', c.project_id, 'address', c.address, 'name', c.name,
    'chainUid', c.chain_uid),
  'wallet', json_build_object('id', w.id, 'name', w.name, 'chainUid', w.chain_uid, 'address', w.address,
    'isActive', w.status = 'ACTIVE', 'maxGasPrice', w.max_gas_price::text, 'maxHourlySpend', w.max_hourly_spend::text,
    'allowedCalls', w.allowed_calls,
    'requireApproval', w.require_approval))`);

/**
 * Intents of one wallet on one chain, processed batch by batch. Urgent ones have a separate lane, so that others cannot
 * delay them.
 */
export type FiringLane = { tenantId: number; walletId: number; isUrgent: boolean };

/** The index of waiting intents has the same expression. */
const severityRank = raw(`array_position(array['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'], i.severity)`);

/**
 * Claims a lane's intents that are ready to decide, or that can only end (created before `since`, or their tenant may
 * not fire). Without `canSend` only the latter. Actions take turns, most severe first.
 */
export async function claimWaiting(
  db: Db,
  { chainUid, lane, canSend }: { chainUid: string; lane: FiringLane; canSend: boolean },
  limit: number,
  now: number,
  since: number,
): Promise<WaitingIntent[]> {
  const { tenantId, walletId, isUrgent } = lane;
  const isDue = sql`i.tenant_id = ${tenantId}::bigint and i.chain_uid = ${chainUid}
    and i.wallet_id = ${walletId}::bigint and i.urgent = ${isUrgent}::boolean and i.state = 'WAITING'
    and i.next_attempt_at <= ${now}::bigint and (i.lease_until is null or i.lease_until < clock_timestamp())
    and (${canSend}::boolean and ${isDeepEnough} or i.created_at < ${since}::bigint or not ${mayFire})`;
  const rows = await db.prepared<WaitingIntent>(
    sql`with turns as (
        select d.id, row_number() over (order by d.turn, d.rank desc, d.id) as turn
        from action x cross join lateral (
          select i.id, ${severityRank} as rank, row_number() over (order by ${severityRank} desc, i.id) as turn
          from action_intent i join tenant n on n.id = i.tenant_id
          where ${isDue} and i.action_id = x.id order by ${severityRank} desc, i.id limit ${limit}::int) d
        where x.tenant_id = ${tenantId}::bigint),
      due as (
        select i.tenant_id, i.id, i.binding, t.turn, ${isDeepEnough} as is_deep,
          case when n.status <> 'ACTIVE' then 'status' when not ${mayFire} then 'halt' end as stopped_by
        from action_intent i join turns t on t.id = i.id join tenant n on n.id = i.tenant_id
        where ${isDue} order by t.turn limit ${limit}::int for update of i skip locked)
      update action_intent i set lease_until = clock_timestamp() + ${intentLeaseMs}::int * interval '1 ms'
      from due left join lateral (
          select b.script_filter, b.script_params, b.updated_at from action_detector b
          where b.tenant_id = due.tenant_id and 'detector ' || b.id = due.binding and b.status = 'ACTIVE'
          union all
          select b.script_filter, b.script_params, b.updated_at from action_trigger_alert b
          where b.tenant_id = due.tenant_id and 'trigger ' || b.id = due.binding
          union all
          select null, '{}', 0 where due.binding = 'manual') s on true,
        action x, contract c, wallet w
      where i.tenant_id = due.tenant_id and i.id = due.id and x.tenant_id = i.tenant_id and x.id = i.action_id
        and c.tenant_id = x.tenant_id and c.id = x.contract_id and w.tenant_id = x.tenant_id and w.id = x.wallet_id
      returning i.tenant_id as "tenantId", i.id, i.uid::text, i.binding, i.alert_uid::text as "alertUid",
        i.severity, i.fire_at = 'pending' as "comesFirst", i.urgent as "isUrgent", due.turn, i.reason,
        coalesce(due.is_deep, false) as "isDeep", due.stopped_by as "stoppedBy",
        i.alert_timestamp as "alertTimestamp", i.created_at as "createdAt", i.given as "manualParams",
          ${actionJson} as action,
        ${pendingPrice} as ahead,
        (select count(*)::int from action_transaction a
          where a.tenant_id = i.tenant_id and a.intent_id = i.id) as "expiredAttempts",
        coalesce((select o.count from binding_timeout o where o.tenant_id = i.tenant_id and o.action_id = i.action_id
          and o.binding = i.binding and o.updated_at >= s.updated_at), 0) as timeouts,
        case when s.script_params is not null
          then json_build_object('filter', s.script_filter, 'params', s.script_params) end as scripts`,
  );
  return rows.sort((left, right) => left.turn - right.turn);
}

export type Attempt = {
  attempt: number;
  hash: string;
  raw: string;
  maxFee: string;
  tip: string | null;
  isVoid: boolean;
  /** The last block or time at which a block may take it; null where it takes a place of its own. */
  validUntil: number | null;
  createdAt: number;
  broadcastAt: number | null;
};

export type SentIntent = Intent & {
  state: 'SIGNED' | 'SUBMITTED';
  address: string;
  /** Null on chains without nonces. */
  nonce: number | null;
  /** Inputs that it spends, on chains where a transaction spends outputs of earlier ones. */
  inputs: string[] | null;
  /** No transaction of the wallet with a lower nonce is under way. */
  isNext: boolean;
  /** The pending transaction that it answers vanished. */
  isUnwanted: boolean;
  call: IntendedCall;
  signedAt: number;
  reason: string | null;
  /** Oldest first. */
  attempts: Attempt[];
};

/** A signed intent has at least one attempt: both are written in the same transaction. */
export function lastAttempt({ uid, attempts }: SentIntent): Attempt {
  const last = attempts.at(-1);
  if (!last) throw new Error(`The signed intent ${uid} has no transaction.`);
  return last;
}

/** True if a call is to be fired or tracked. */
export const hasOpenIntents = sql`exists (select from action_intent where state in ('WAITING', 'SIGNED', 'SUBMITTED'))`;

/** The chains with intents under way, and the lanes in which intents wait there. */
export async function findBusyChains(db: Db): Promise<{ chainUid: string; lanes: FiringLane[] }[]> {
  return db.prepared<{ chainUid: string; lanes: FiringLane[] }>(
    sql`select b.chain_uid as "chainUid", coalesce(json_agg(json_build_object('tenantId', b.tenant_id,
          'walletId', b.wallet_id, 'isUrgent', b.urgent)) filter (where b.waits), '[]') as lanes
      from (
        select chain_uid, tenant_id, wallet_id, urgent, bool_or(state = 'WAITING') as waits from action_intent
        where state in ('WAITING', 'SIGNED', 'SUBMITTED') group by 1, 2, 3, 4) b
      group by 1`,
  );
}

/** Claims signed intents, to check their transactions. The tenants take turns, so that a long queue of one delays no other. */
export async function claimSent(
  db: Db,
  chainUid: string,
  aliases: readonly string[],
  limit: number,
  now: number,
): Promise<SentIntent[]> {
  const isDue = sql`i.chain_uid = ${chainUid} and i.state in ('SIGNED', 'SUBMITTED')
    and i.next_attempt_at <= ${now}::bigint and (i.lease_until is null or i.lease_until < clock_timestamp())`;
  const rows = await db.prepared<SentIntent>(
    sql`with turns as (
        select i.tenant_id, i.id, row_number() over (partition by i.tenant_id order by i.id) as turn
        from action_intent i where ${isDue}),
      due as (
        select i.tenant_id, i.id from action_intent i join turns t on t.tenant_id = i.tenant_id and t.id = i.id
        where ${isDue} order by t.turn, i.id limit ${limit}::int for update of i skip locked)
      update action_intent i set lease_until = clock_timestamp() + ${intentLeaseMs}::int * interval '1 ms'
      from due, action x, contract c, wallet w
      where i.tenant_id = due.tenant_id and i.id = due.id and x.tenant_id = i.tenant_id and x.id = i.action_id
        and c.tenant_id = x.tenant_id and c.id = x.contract_id and w.tenant_id = i.tenant_id and w.id = i.wallet_id
      returning i.tenant_id as "tenantId", i.id, i.uid::text, i.state, i.alert_uid::text as "alertUid",
        i.severity, i.fire_at = 'pending' as "comesFirst", ${pendingPrice} as ahead,
        coalesce(i.unwanted_at <= ${now}::bigint, false) as "isUnwanted", i.binding, i.address,
        i.nonce, i.inputs, i.call,
        not exists (select from action_intent earlier
          where earlier.chain_uid = any(${aliases}::text[]) and earlier.state in ('SIGNED', 'SUBMITTED')
          and earlier.address = i.address and earlier.nonce < i.nonce) as "isNext", i.signed_at as "signedAt", i.reason,
        ${actionJson} as action,
        (select json_agg(json_build_object('attempt', a.attempt, 'hash', a.hash, 'raw', a.raw,
          'maxFee', a.max_fee::text,
            'tip', a.tip::text, 'isVoid', a.is_void, 'validUntil', a.valid_until, 'createdAt', a.created_at,
            'broadcastAt', a.broadcast_at) order by a.attempt)
          from action_transaction a where a.tenant_id = i.tenant_id and a.intent_id = i.id) as attempts`,
  );
  return rows.sort((left, right) => left.id - right.id);
}

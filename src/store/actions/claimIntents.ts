import type { AbiFunction } from 'abitype';
import { raw, sql } from '../../lib/sql.ts';
import type { AllowedCall, IntendedCall } from '../../model/action.ts';
import type { Severity } from '../../model/alert.ts';
import type { Db } from '../db.ts';

/** An action as whoever carries it out needs it. */
export type FiredAction = {
  id: number;
  tenantId: number;
  name: string;
  description: string | null;
  funcSignature: string;
  funcAbi: AbiFunction;
  params: { name: string; value: string }[];
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
  };
};

/** What everything under way is told apart by. */
export type IntentKey = { tenantId: number; id: number };

/** What its alerts tell of an intent. */
export type ToldIntent = IntentKey & {
  uid: string;
  binding: string;
  alertUid: string | null;
  severity: Severity;
  action: FiredAction;
};

export type WaitingIntent = ToldIntent & {
  /** What it has been waiting for. */
  reason: string | null;
  /** Its block is as deep as the action asks for. */
  isDeep: boolean;
  /** Why nothing of the tenant is fired, or nothing that is as old as this. */
  stoppedBy: 'status' | 'halt' | null;
  alertTimestamp: number | null;
  createdAt: number;
  given: Record<string, unknown>;
  /** How often in a row the scripts of its binding ran out of time. */
  timeouts: number;
  /** Null when the binding is gone that it came from; a person's own has neither filter nor scripts. */
  scripts: { filter: string | null; params: Record<string, string> } | null;
};

/** A process that dies loses what it has claimed; nothing that it did is done twice, because each step looks at the state. */
const leaseMs = 15_000;

/** `i` is the intent. What counts is the chain of the alert, which may be another one than that of the action. */
export const isDeepEnough = raw(`(i.fire_at = 'head' or i.block_number is null or i.block_number <=
  (select confirmed from chain_cursor where chain_uid = coalesce(i.alert_chain_uid, i.chain_uid)))`);

/** `i` and `n` are the intent and its tenant. What was made before the last halt stays unfired when that is taken back. */
export const mayFire = raw(`(n.status = 'ACTIVE' and n.halted_at is null and n.halt_count = i.halt_count)`);

/** `x`, `c` and `w` are the action, its contract and its wallet. */
export const actionJson = raw(`json_build_object('id', x.id, 'tenantId', x.tenant_id, 'name', x.name,
  'description', x.description, 'funcSignature', x.func_signature, 'funcAbi', x.func_abi, 'params', x.params,
  'gasPrice', x.gas_price, 'gasLimit', x.gas_limit, 'gasTip', x.gas_tip,
  'isActive', x.status = 'ACTIVE' and c.status = 'ACTIVE',
  'contract', json_build_object('id', c.id, 'projectId', c.project_id, 'address', c.address, 'name', c.name, 'chainUid', c.chain_uid),
  'wallet', json_build_object('id', w.id, 'name', w.name, 'chainUid', w.chain_uid, 'address', w.address,
    'isActive', w.status = 'ACTIVE', 'maxGasPrice', w.max_gas_price::text, 'maxHourlySpend', w.max_hourly_spend::text,
    'allowedCalls', w.allowed_calls))`);

/**
 * Takes what of a tenant is to be decided and signed, the oldest first, none before its block is deep enough; and what can only be
 * ended, because it was made before `since` or nothing of its tenant may fire. Where nothing can be sent, the latter alone.
 */
export async function claimWaiting(
  db: Db,
  { chainUid, tenantId, canSend }: { chainUid: string; tenantId: number; canSend: boolean },
  most: number,
  now: number,
  since: number,
): Promise<WaitingIntent[]> {
  const rows = await db.prepared<WaitingIntent>(
    sql`with due as (
        select i.tenant_id, i.id, i.binding, ${isDeepEnough} as is_deep,
          case when n.status <> 'ACTIVE' then 'status' when not ${mayFire} then 'halt' end as stopped_by
        from action_intent i join tenant n on n.id = i.tenant_id
        where i.chain_uid = ${chainUid} and i.tenant_id = ${tenantId} and i.state = 'WAITING' and i.next_attempt_at <= ${now}::bigint
          and (i.lease_until is null or i.lease_until < clock_timestamp())
          and (${canSend}::boolean and ${isDeepEnough} or i.created_at < ${since}::bigint or not ${mayFire})
        order by i.id limit ${most}::int for update of i skip locked)
      update action_intent i set lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 ms'
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
        i.severity, i.reason, coalesce(due.is_deep, false) as "isDeep", due.stopped_by as "stoppedBy",
        i.alert_timestamp as "alertTimestamp", i.created_at as "createdAt", i.given, ${actionJson} as action,
        coalesce((select o.count from binding_timeout o where o.tenant_id = i.tenant_id and o.action_id = i.action_id
          and o.binding = i.binding and o.updated_at >= s.updated_at), 0) as timeouts,
        case when s.script_params is not null
          then json_build_object('filter', s.script_filter, 'params', s.script_params) end as scripts`,
  );
  return rows.sort((one, other) => one.id - other.id);
}

export type Attempt = {
  attempt: number;
  hash: string;
  raw: string;
  maxFee: string;
  tip: string | null;
  isVoid: boolean;
  createdAt: number;
  broadcastAt: number | null;
};

export type SentIntent = ToldIntent & {
  state: 'SIGNED' | 'SUBMITTED';
  address: string;
  nonce: number;
  /** Nothing of the wallet that was signed before it is under way any more. */
  isNext: boolean;
  call: IntendedCall;
  signedAt: number;
  reason: string | null;
  /** Oldest first. */
  attempts: Attempt[];
};

/** Where something is to be done now or later, and whose intents wait there. */
export async function findBusyChains(db: Db): Promise<{ chainUid: string; tenantIds: number[] }[]> {
  return db.prepared<{ chainUid: string; tenantIds: number[] }>(
    sql`select chain_uid as "chainUid",
        coalesce(array_agg(distinct tenant_id) filter (where state = 'WAITING'), '{}') as "tenantIds"
      from action_intent where state in ('WAITING', 'SIGNED', 'SUBMITTED') group by 1`,
  );
}

/**
 * Takes what was signed, to see how far it has come; the tenants take turns, so that none waits for all of another's.
 * `names` are all by which the chain goes.
 */
export async function claimSent(
  db: Db,
  chainUid: string,
  names: readonly string[],
  most: number,
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
        where ${isDue} order by t.turn, i.id limit ${most}::int for update of i skip locked)
      update action_intent i set lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 ms'
      from due, action x, contract c, wallet w
      where i.tenant_id = due.tenant_id and i.id = due.id and x.tenant_id = i.tenant_id and x.id = i.action_id
        and c.tenant_id = x.tenant_id and c.id = x.contract_id and w.tenant_id = i.tenant_id and w.id = i.wallet_id
      returning i.tenant_id as "tenantId", i.id, i.uid::text, i.state, i.alert_uid::text as "alertUid",
        i.severity, i.binding, i.address, i.nonce, i.call,
        not exists (select from action_intent o where o.chain_uid = any(${names}::text[]) and o.state in ('SIGNED', 'SUBMITTED')
          and o.address = i.address and o.nonce < i.nonce) as "isNext", i.signed_at as "signedAt", i.reason,
        ${actionJson} as action,
        (select json_agg(json_build_object('attempt', a.attempt, 'hash', a.hash, 'raw', a.raw, 'maxFee', a.max_fee::text,
            'tip', a.tip::text, 'isVoid', a.is_void, 'createdAt', a.created_at, 'broadcastAt', a.broadcast_at)
            order by a.attempt)
          from action_transaction a where a.tenant_id = i.tenant_id and a.intent_id = i.id) as attempts`,
  );
  return rows.sort((one, other) => one.id - other.id);
}

import { canonicalHash } from '../../lib/canonicalHash.ts';
import { storableJson } from '../../lib/json.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { Severity } from '../../model/alert.ts';
import type { Db } from '../db/db.ts';

/** An alert that may fire actions. */
export type FiringAlert = {
  uid: string;
  tenantId: number;
  timestamp: number;
  severity: Severity;
  chainUid: string | null;
  blockNumber: number | null;
  txHash: string | null;
  /** No block has its transaction yet, so that only actions fire that do not wait for one. */
  isPending: boolean;
  backfilled: boolean;
  detectorId: number | null;
  triggerAlertId: number | null;
};

export const retractedReason = 'The alert was retracted before the action was fired.';
export const haltedReason = 'Actions are halted.';

const columns =
  raw(`tenant_id, action_id, binding, alert_uid, alert_timestamp, contract_id, wallet_id, chain_uid,
  alert_chain_uid, block_number, severity, fire_at, urgent, state, reason, causes, halt_count, created_at, updated_at,
  next_attempt_at`);

/** A transaction of one action may raise the alert that fires another, up to this many actions in a row. */
const maxCauses = 3;

const loopReason =
  'The alert was raised by a transaction of this action, or of one that it led to: firing again would never end.';
const chainReason =
  `The alert was raised by a transaction that ${maxCauses} actions led to, one after the other; ` +
  'no further action follows from it.';

/**
 * Inserts an intent for each binding of an action to an alert, or restores a cancelled one. Too old alerts, and those
 * caused by the action itself, get a skipped intent; back-filled ones none.
 */
export async function insertIntents(tx: Db, firings: readonly FiringAlert[], now: number): Promise<void> {
  const tenantIds = [...new Set(firings.map(({ tenantId }) => tenantId))];
  const hashes = [...new Set(firings.flatMap(({ txHash }) => (txHash ? canonicalHash(txHash) : [])))];
  await tx.prepared(
    sql`with fired as (
        select * from json_to_recordset(${storableJson(firings)}::json) as f(uid uuid, "tenantId" bigint,
          timestamp bigint, severity text, "chainUid" text, "blockNumber" bigint, "txHash" text,
          "isPending" boolean, backfilled boolean,
          "detectorId" bigint, "triggerAlertId" bigint)),
      bound as (
        select f.*, b.action_id, 'detector ' || b.id as binding from fired f
        join action_detector b on b.tenant_id = f."tenantId" and b.detector_id = f."detectorId" and b.status = 'ACTIVE'
        union all
        select f.*, b.action_id, 'trigger ' || b.id from fired f
        join action_trigger_alert b on b.tenant_id = f."tenantId" and b.trigger_alert_id = f."triggerAlertId"),
      origin as (
        select distinct on (a.tenant_id, a.hash) a.tenant_id, a.hash, i.causes || i.action_id as causes
        from action_transaction a join action_intent i on i.tenant_id = a.tenant_id and i.id = a.intent_id
        where a.tenant_id = any(${tenantIds}::bigint[]) and a.hash = any(${hashes}::text[])),
      judged as (
        select b.*, x.contract_id, x.wallet_id, c.chain_uid, x.fire_at, n.halt_count,
          coalesce(x.urgent, x.fire_at = 'pending' or b.severity in ('HIGH', 'CRITICAL')) as urgent,
          coalesce(o.causes, '{}') as causes,
          case when n.halted_at is not null then 'CANCELED' when r.skipped is not null then 'SKIPPED'
            else 'WAITING' end as state,
          case when n.halted_at is not null then ${haltedReason}::text else r.skipped end as reason
        from bound b join action x on x.tenant_id = b."tenantId" and x.id = b.action_id and x.status = 'ACTIVE'
          and (not b."isPending" or x.fire_at = 'pending')
        join contract c on c.tenant_id = x.tenant_id and c.id = x.contract_id
        join tenant n on n.id = b."tenantId"
        left join origin o on o.tenant_id = b."tenantId" and o.hash in (b."txHash", lower(b."txHash")),
        lateral (select case
          when x.id = any(o.causes) then ${loopReason}::text
          when cardinality(o.causes) > ${maxCauses}::int then ${chainReason}::text
          when ${now}::bigint - b.timestamp > x.max_alert_age then format(
            'The alert was %s s old; the action fires for alerts of at most %s s (maxAlertAge).',
            (${now}::bigint - b.timestamp) / 1000, x.max_alert_age / 1000) end as skipped) r
        where not (b.backfilled and ${now}::bigint - b.timestamp > coalesce(x.max_alert_age, ${now}::bigint))),
      written as (
        insert into action_intent as i (${columns})
        select b."tenantId", b.action_id, b.binding, b.uid, b.timestamp, b.contract_id, b.wallet_id, b.chain_uid,
          b."chainUid", b."blockNumber", b.severity, b.fire_at, b.urgent, b.state, b.reason, b.causes, b.halt_count,
          ${now}::bigint, ${now}::bigint, ${now}::bigint
        from judged b
        order by b.timestamp, b.uid, b.action_id, b.binding
        on conflict (tenant_id, alert_uid, action_id, binding) do update
          set state = excluded.state, reason = excluded.reason, causes = excluded.causes,
            halt_count = excluded.halt_count, next_attempt_at = excluded.next_attempt_at, lease_until = null,
            block_number = excluded.block_number
          where i.state = 'CANCELED' and i.reason = ${retractedReason}::text
        returning 1)
      select announce('vigil_action') from written limit 1`,
  );
}

/** The alerts to whose detector or trigger actions are bound: few are, and writing intents is a large statement. */
export async function findFiring(tx: Db, alerts: readonly FiringAlert[]): Promise<FiringAlert[]> {
  const [detectors, triggers] = (['detectorId', 'triggerAlertId'] as const).map((member) => {
    const keyed = alerts.map((alert) => [keyOf(alert, member), alert] as const);
    const sources = [...new Map(keyed).values()].filter((alert) => alert[member] !== null);
    return sql`unnest(${sources.map(({ tenantId }) => tenantId)}::bigint[],
      ${sources.map((alert) => alert[member])}::bigint[]) s(tenant_id, id)`;
  });
  const rows = await tx.prepared<{ key: string }>(
    sql`select 'detectorId ' || s.tenant_id || ' ' || s.id as key from ${detectors}
        where exists (select from action_detector b where b.tenant_id = s.tenant_id and b.detector_id = s.id)
      union all
      select 'triggerAlertId ' || s.tenant_id || ' ' || s.id from ${triggers}
        where exists (select from action_trigger_alert b
          where b.tenant_id = s.tenant_id and b.trigger_alert_id = s.id)`,
  );
  const bound = new Set(rows.map(({ key }) => key));
  return alerts.filter(
    (alert) => bound.has(keyOf(alert, 'detectorId')) || bound.has(keyOf(alert, 'triggerAlertId')),
  );
}

function keyOf(alert: FiringAlert, member: 'detectorId' | 'triggerAlertId'): string {
  return `${member} ${alert.tenantId} ${alert[member]}`;
}

/** Inserts the intent of a manual run, which has no alert; undefined while actions are halted. */
export async function insertManualIntent(
  tx: Db,
  action: { tenantId: number; actionId: number },
  params: Readonly<Record<string, unknown>>,
  now: number,
): Promise<string | undefined> {
  const [row] = await tx.query<{ uid: string }>(
    sql`with written as (
        insert into action_intent (${columns}, given)
        select x.tenant_id, x.id, 'manual', null, null, x.contract_id, x.wallet_id, c.chain_uid, null, null,
          'MEDIUM', 'head', coalesce(x.urgent, true),
          'WAITING', null, '{}'::bigint[], n.halt_count, ${now}, ${now}, ${now}, ${storableJson(params)}::jsonb
        from action x join contract c on c.tenant_id = x.tenant_id and c.id = x.contract_id
        join tenant n on n.id = x.tenant_id and n.halted_at is null
        where x.tenant_id = ${action.tenantId} and x.id = ${action.actionId}
        returning uid)
      select uid::text, announce('vigil_action') from written`,
  );
  return row?.uid;
}

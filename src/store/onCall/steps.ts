import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export const stepKinds = ['user', 'schedule', 'destination'] as const;
export const stepOutcomes = ['CALLED', 'NOBODY', 'FAILED'] as const;

export type MadeStep = {
  tenantId: number;
  escalationId: number;
  number: number;
  kind: (typeof stepKinds)[number];
  targetId: number;
  name: string;
  userId: number | null;
  outcome: (typeof stepOutcomes)[number];
  detail: string | null;
  /** The time at which the step after it is due. */
  nextAt: number;
  /** The alert that it calls about. */
  alertUid: string;
};

/** Writes steps that are made in this transaction. Their keys are unique, so that none is made twice. */
export async function insertSteps(tx: Db, steps: readonly MadeStep[], now: number): Promise<void> {
  if (steps.length === 0) return;
  const rows = steps.map((step) => ({
    tenant_id: step.tenantId,
    escalation_id: step.escalationId,
    number: step.number,
    kind: step.kind,
    target_id: step.targetId,
    name: step.name,
    user_id: step.userId,
    outcome: step.outcome,
    detail: step.detail,
    next_at: step.nextAt,
    alert_uid: step.alertUid,
  }));
  await tx.prepared(
    sql`with s as (select * from jsonb_to_recordset(${storableJson(rows)}::jsonb) s(tenant_id bigint,
        escalation_id bigint, number int, kind text, target_id bigint, name text, user_id bigint, outcome text,
        detail text, next_at bigint, alert_uid uuid)),
      made as (
        insert into escalation_step (tenant_id, escalation_id, number, at, kind, target_id, name, user_id, outcome,
          detail)
        select tenant_id, escalation_id, number, ${now}, kind, target_id, name, user_id, outcome, detail from s)
      update escalation e set position = s.number + 1, next_at = s.next_at, planned_at = ${now},
        alert_uid = s.alert_uid
      from s where e.tenant_id = s.tenant_id and e.id = s.escalation_id`,
  );
}

/** The chains among these whose steps from `since` on have called no one. */
export async function findUnheard(
  tx: Db,
  chains: readonly { tenantId: number; id: number; since: number }[],
): Promise<Set<number>> {
  if (chains.length === 0) return new Set();
  const rows = await tx.prepared<{ id: number }>(
    sql`select k.id from unnest(${chains.map(({ tenantId }) => tenantId)}::bigint[],
        ${chains.map(({ id }) => id)}::bigint[], ${chains.map(({ since }) => since)}::int[]) k(tenant_id, id, since)
      where not exists (select from escalation_step s where s.tenant_id = k.tenant_id and s.escalation_id = k.id
        and s.number >= k.since and s.outcome = 'CALLED')`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Failed attempts after which a step passes to the next one. */
const failedAttempts = 2;

/**
 * Passes chains on whose newest step reached no destination. The last step of a round keeps its wait. A chain that is locked
 * elsewhere is left alone, because its messages are locked here.
 */
export async function failOver(
  tx: Db,
  failed: readonly { tenantId: number; id: number }[],
  now: number,
): Promise<void> {
  if (failed.length === 0) return;
  await tx.prepared(
    sql`with failing as (
        select distinct d.tenant_id, d.escalation_id, d.escalation_number as number
        from unnest(${failed.map(({ tenantId }) => tenantId)}::bigint[], ${failed.map(({ id }) => id)}::bigint[])
          k(tenant_id, id)
        join delivery d on d.tenant_id = k.tenant_id and d.id = k.id and d.escalation_id is not null),
      hopeless as (
        select f.*, n.error from failing f
        join escalation e on e.tenant_id = f.tenant_id and e.id = f.escalation_id and e.state = 'RUNNING'
          and e.position = f.number + 1
        cross join lateral (
          select bool_and(d.state <> 'DELIVERED' and (d.state <> 'PENDING' or d.attempts >= ${failedAttempts}))
              as is_down,
            left(string_agg(distinct d.last_error, ' '), 300) as error
          from delivery d where d.tenant_id = f.tenant_id and d.escalation_id = f.escalation_id
            and d.escalation_number = f.number) n
        where n.is_down order by f.tenant_id, f.escalation_id for update of e skip locked),
      noted as (
        update escalation_step s set outcome = 'FAILED',
          detail = concat_ws(' ', s.detail, 'Its first attempts failed.', h.error)
        from hopeless h where s.tenant_id = h.tenant_id and s.escalation_id = h.escalation_id and s.number = h.number)
      update escalation e set next_at = least(e.next_at, ${now}), planned_at = least(e.planned_at, ${now})
      from hopeless h
      where e.tenant_id = h.tenant_id and e.id = h.escalation_id and e.position % jsonb_array_length(e.steps) <> 0`,
  );
}

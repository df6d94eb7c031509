import { storableJson } from '../../lib/json.ts';
import { integer, raw, sql, unplanned } from '../../lib/sql.ts';
import { uidTime } from '../../lib/uid.ts';
import type { Db } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { acknowledgedExpression } from '../search/documents/alertTable.ts';
import { incidentUidOf } from '../search/documents/incidentUidSql.ts';

export type ChainStep = {
  userId?: number | null;
  scheduleId?: number | null;
  destinationId?: number | null;
  waitMinutes: number;
};

/** A chain that runs for an incident. */
export type Escalation = {
  tenantId: number;
  id: number;
  incidentUid: string;
  alertUid: string;
  escalationChainId: number;
  chainName: string;
  steps: ChainStep[];
  repeat: number;
  extra: Record<string, unknown>;
  position: number;
  nextAt: number;
};

export const escalationStates = ['RUNNING', 'ACKNOWLEDGED', 'RESOLVED', 'RETRACTED', 'EXHAUSTED'] as const;
type EscalationState = (typeof escalationStates)[number];

/** The wish to run a chain for the incident of an alert. `extra`: members of its messages beside those of the alert. */
export type EscalationStart = {
  tenantId: number;
  incidentUid: string;
  alertUid: string;
  escalationChainId: number;
  startedBy: string;
  extra?: Record<string, unknown>;
};

const columns = sql`e.tenant_id as "tenantId", e.id, e.incident_uid::text as "incidentUid",
  e.alert_uid::text as "alertUid", e.chain_id as "escalationChainId", e.chain_name as "chainName",
  e.steps, e.repeat, e.extra, e.position, e.next_at as "nextAt"`;

/**
 * Starts chains in the transaction of the caller; the first steps are due at once. A chain that already runs for the
 * incident goes on as it is. Returns how many began.
 */
export async function startEscalations(
  tx: Db,
  starts: readonly EscalationStart[],
  now: number,
): Promise<number> {
  if (starts.length === 0) return 0;
  const rows = await tx.prepared<{ count: number }>(
    sql`with started as (
        insert into escalation (tenant_id, incident_uid, alert_uid, chain_id, chain_name, steps, repeat, extra,
          started_at, started_by, next_at, planned_at)
        select s.tenant_id, s.incident_uid, s.alert_uid, c.id, c.name, c.steps, c.repeat, coalesce(s.extra, '{}'),
          ${now}, s.started_by, ${now}, ${now}
        from jsonb_to_recordset(${storableJson(
          starts.map(({ tenantId, incidentUid, alertUid, escalationChainId, startedBy, extra }) => ({
            tenant_id: tenantId,
            incident_uid: incidentUid,
            alert_uid: alertUid,
            chain_id: escalationChainId,
            started_by: startedBy,
            extra,
          })),
        )}::jsonb) s(tenant_id bigint, incident_uid uuid, alert_uid uuid, chain_id bigint, started_by text, extra jsonb)
        join escalation_chain c on c.tenant_id = s.tenant_id and c.id = s.chain_id and c.status = 'ACTIVE'
        order by s.tenant_id, s.incident_uid, c.id
        on conflict (tenant_id, incident_uid, chain_id) where state = 'RUNNING' do nothing returning 1)
      select count(*) as count, (select announce('vigil_call') from started limit 1) from started`,
  );
  return rows[0]?.count ?? 0;
}

/** The same for one incident. */
export async function startEscalation(tx: Db, start: EscalationStart, now: number): Promise<boolean> {
  return (await startEscalations(tx, [start], now)) > 0;
}

/** Chains that are looked at for one turn. */
const maxDue = 5000;

/**
 * Locks chains whose next step is due, tenant by tenant in turn, for fairness. A step is made in the transaction of its lock:
 * after a crash both are gone.
 */
export async function claimEscalations(
  tx: Db,
  now: number,
  limit: number,
  /** Tenants whose alerts cannot be read at the moment. */
  except: readonly number[] = [],
): Promise<Escalation[]> {
  return tx.prepared<Escalation>(
    sql`select ${columns}
      from (select tenant_id, id, next_at, row_number() over (partition by tenant_id order by next_at, id) as place
        from (select tenant_id, id, next_at from escalation where state = 'RUNNING' and next_at <= ${now}
            and tenant_id <> all(${except}::bigint[])
          order by next_at limit ${maxDue}) due) d
      join escalation e on e.tenant_id = d.tenant_id and e.id = d.id and e.state = 'RUNNING' and e.next_at <= ${now}
      order by d.place, d.next_at limit ${limit} for update of e skip locked`,
  );
}

/** The clocks of servers differ a little. */
const clockSlackMs = 5000;

/** True if a step is due, or planned by a clock that went back since. */
export const isEscalationDue = (now: number) => sql`
  (select min(next_at) from escalation where state = 'RUNNING') <= ${unplanned(now)}
  or (select min(resumes_at) from escalation where resumes_at is not null) <= ${unplanned(now)}
  or (select max(planned_at) from escalation where state = 'RUNNING') > ${unplanned(now + clockSlackMs)}`;

/** Plans next steps again that were planned later than now, by a clock that went back since: no one waits for longer than the chain says. */
export async function replanEscalations(db: Db, now: number): Promise<void> {
  await db.prepared(
    sql`update escalation set next_at = ${now}::bigint + greatest(next_at - planned_at, 0), planned_at = ${now}
      where (tenant_id, id) in (
        select tenant_id, id from escalation
        where state = 'RUNNING' and planned_at > ${now + clockSlackMs} for update skip locked)`,
  );
}

/** The incident of a chain, and the alert that it calls about. */
type Subject = Pick<Escalation, 'tenantId' | 'id' | 'incidentUid' | 'alertUid'>;

/**
 * The answer to the incident of a chain. `state`: null until someone answers. `until`: the end of a snooze. `alertUid`: the worst
 * open alert of the incident, if the alert of the chain is closed.
 */
export type IncidentAnswer = {
  state: Exclude<EscalationState, 'RUNNING' | 'EXHAUSTED'> | null;
  until: number | null;
  alertUid: string | null;
};

/**
 * The answers to the incidents of chains, by the id of the chain. The acknowledgement of the alert that a chain calls about answers it
 * too. An incident that retention has removed counts as retracted.
 */
export async function findAnswers(
  db: Db,
  subjects: readonly Subject[],
): Promise<Map<number, IncidentAnswer>> {
  const keys = subjects.map((subject) => ({ ...subject, timestamp: uidTime(subject.alertUid) ?? 0 }));
  const isAcknowledged = (alias: string) => sql`coalesce(${raw(acknowledgedExpression(alias))}, false)`;
  const rows = await perTenant(db, keys, (of, ofTenant) =>
    db.prepared<IncidentAnswer & { id: number }>(
      sql`select k.id, case
          when i.uid is null and t.uid is null then 'RETRACTED'
          when i.alerts = 0 or (i.uid is null and t.retracted_at is not null) then 'RETRACTED'
          when i.open_alerts = 0 or (i.uid is null and t.is_resolved) then 'RESOLVED'
          when ${isAcknowledged('i')} or coalesce(c.is_acknowledged, ${isAcknowledged('t')}) then 'ACKNOWLEDGED' end
            as state,
          case when (${isAcknowledged('i')} and i.acknowledged_until is null)
              or (coalesce(c.is_acknowledged, ${isAcknowledged('t')})
                and case when c.uid is null then t.acknowledged_until else c.acknowledged_until end is null) then null
            else greatest(case when ${isAcknowledged('i')} then i.acknowledged_until end,
              case when c.is_acknowledged then c.acknowledged_until
                when c.uid is null and ${isAcknowledged('t')} then t.acknowledged_until end) end as until,
          c.uid::text as "alertUid"
        from unnest(${of.map(({ tenantId }) => tenantId)}::bigint[], ${of.map(({ id }) => id)}::bigint[],
          ${of.map(({ incidentUid }) => incidentUid)}::uuid[], ${of.map(({ alertUid }) => alertUid)}::uuid[],
          ${of.map(({ timestamp }) => timestamp)}::bigint[]) k(tenant_id, id, incident_uid, alert_uid, timestamp)
        left join incident i on i.tenant_id = k.tenant_id and i.uid = k.incident_uid and ${ofTenant('i')}
        left join alert t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.alert_uid
          and ${ofTenant('t')}
        left join lateral (
          select w.uid, ${isAcknowledged('w')} as is_acknowledged, w.acknowledged_until from alert w
          where (t.uid is null or t.is_resolved or t.retracted_at is not null)
            and w.tenant_id = k.tenant_id and w.timestamp between i.first_at and i.last_at
            and ${incidentUidOf('w')} = k.incident_uid and w.retracted_at is null and not w.is_resolved
            and ${ofTenant('w')}
          order by w.numeric_severity desc, w.timestamp desc, w.uid limit 1) c on true`,
    ),
  );
  return new Map(rows.map(({ id, ...answer }) => [id, answer]));
}

export type EndedEscalation = {
  tenantId: number;
  id: number;
  state: Exclude<EscalationState, 'RUNNING'>;
  /** The end of a snooze: if no one has answered by then, the chain runs again. */
  until?: number | null;
};

/** Ends chains, and cancels their messages that are not sent yet: no one is to be called any more. */
export async function endEscalations(tx: Db, ended: readonly EndedEscalation[], now: number): Promise<void> {
  if (ended.length === 0) return;
  await tx.prepared(
    sql`update escalation e set state = k.state, ended_at = ${now}, resumes_at = k.until
      from unnest(${ended.map(({ tenantId }) => tenantId)}::bigint[], ${ended.map(({ id }) => id)}::bigint[],
        ${ended.map(({ state }) => state)}::text[],
        ${ended.map(({ state, until = null }) => (state === 'ACKNOWLEDGED' ? until : null))}::bigint[])
        k(tenant_id, id, state, until)
      where e.tenant_id = k.tenant_id and e.id = k.id and e.state = 'RUNNING'`,
  );
  const answered = ended.filter(({ state }) => state !== 'EXHAUSTED');
  await tx.prepared(
    sql`with waiting as (
        select d.tenant_id, d.id from unnest(${answered.map(({ tenantId }) => tenantId)}::bigint[],
          ${answered.map(({ id }) => id)}::bigint[]) k(tenant_id, id)
        join delivery d on d.tenant_id = k.tenant_id and d.escalation_id = k.id and d.state = 'PENDING'
        order by d.id for update of d),
      dequeued as (
        delete from delivery_queue q using waiting where q.tenant_id = waiting.tenant_id and q.id = waiting.id)
      update delivery d set state = 'CANCELED', updated_at = ${now}, last_error = 'Someone answered before it was sent.'
      from waiting where d.tenant_id = waiting.tenant_id and d.id = waiting.id`,
  );
}

/**
 * Ends the chains of these alerts and incidents that are answered by now, in the transaction that answers them. Messages of chains
 * that are exhausted are cancelled too.
 */
export async function endAnswered(
  tx: Db,
  changed: readonly { tenantId: number; uid: string; incidentUid?: string | null }[],
  now: number,
): Promise<void> {
  if (changed.length === 0) return;
  const uids = [
    ...new Set(changed.flatMap(({ uid, incidentUid }) => (incidentUid ? [uid, incidentUid] : [uid]))),
  ];
  const running = await tx.prepared<Subject>(
    sql`select e.tenant_id as "tenantId", e.id, e.incident_uid::text as "incidentUid", e.alert_uid::text as "alertUid"
      from escalation e
      where e.tenant_id = any(${[...new Set(changed.map(({ tenantId }) => tenantId))]}::bigint[])
        and (e.incident_uid = any(${uids}::uuid[]) or e.alert_uid = any(${uids}::uuid[]))
        and (e.state = 'RUNNING' or (e.state = 'EXHAUSTED' and exists (select from delivery d
          where d.tenant_id = e.tenant_id and d.escalation_id = e.id and d.state = 'PENDING')))
      order by e.id for update of e`,
  );
  if (running.length === 0) return;
  const answers = await findAnswers(tx, running);
  await endEscalations(
    tx,
    running.flatMap(({ tenantId, id }) => {
      const { state = null, until = null } = answers.get(id) ?? {};
      return state ? [{ tenantId, id, state, until }] : [];
    }),
    now,
  );
}

/** Runs the chains again that an acknowledgement of these alerts or incidents ended, because it was taken back. */
export async function resumeEscalations(
  tx: Db,
  changed: readonly { tenantId: number; uid: string; incidentUid?: string | null }[],
  now: number,
): Promise<void> {
  if (changed.length === 0) return;
  const uids = changed.map(({ uid, incidentUid }) => incidentUid ?? uid);
  await tx.prepared(
    sql`update escalation e set resumes_at = ${now}
      from (select distinct on (tenant_id, incident_uid, chain_id) tenant_id, id, state from escalation
        where tenant_id = any(${[...new Set(changed.map(({ tenantId }) => tenantId))]}::bigint[])
          and incident_uid = any(${uids}::uuid[])
        order by tenant_id, incident_uid, chain_id, id desc) newest
      where e.tenant_id = newest.tenant_id and e.id = newest.id and newest.state = 'ACKNOWLEDGED'`,
  );
}

/** Looks again at a chain whose snooze has ended by the clock here and not by that of the database. */
const lookAgainMs = 1000;

/** Runs chains again whose snooze has ended without an answer; returns how many it looked at. */
export async function resumeSnoozed(
  tx: Db,
  now: number,
  limit: number,
  except: readonly number[] = [],
): Promise<number> {
  const due = await tx.prepared<Subject & EscalationStart>(
    sql`select e.tenant_id as "tenantId", e.id, e.incident_uid::text as "incidentUid", e.alert_uid::text as "alertUid",
        e.chain_id as "escalationChainId", e.started_by as "startedBy", e.extra
      from escalation e where e.resumes_at <= ${unplanned(now)} and e.tenant_id <> all(${except}::bigint[])
      order by e.resumes_at limit ${integer(limit)} for update skip locked`,
  );
  if (due.length === 0) return 0;
  const answers = await findAnswers(tx, due);
  const again = due.map(({ tenantId, id }) => {
    const { state = null, until = null } = answers.get(id) ?? {};
    const isSnoozed = state === 'ACKNOWLEDGED' && until !== null;
    return { tenantId, id, at: isSnoozed ? Math.max(until, now + lookAgainMs) : null };
  });
  await tx.prepared(
    sql`update escalation e set resumes_at = k.at
      from unnest(${again.map(({ tenantId }) => tenantId)}::bigint[], ${again.map(({ id }) => id)}::bigint[],
        ${again.map(({ at }) => at)}::bigint[]) k(tenant_id, id, at)
      where e.tenant_id = k.tenant_id and e.id = k.id`,
  );
  const open = due.filter(({ id }) => answers.get(id)?.state === null);
  await startEscalations(
    tx,
    open.map(({ id, ...start }) => ({ ...start, alertUid: answers.get(id)?.alertUid ?? start.alertUid })),
    now,
  );
  return due.length;
}

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
 * Passes chains on whose newest step reached no destination: each of them failed twice, or for good. The last step of a round keeps
 * its wait, because no one else is left to be called. A chain that is answered or stepped at this moment is left alone: waiting for it
 * could be a deadlock, because its messages are locked here.
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

export type EscalationView = {
  id: number;
  incidentUid: string;
  escalationChainId: number;
  chainName: string;
  state: EscalationState;
  startedAt: number;
  startedBy: string;
  endedAt: number | null;
  /** The time at which the next step is due, while it runs. */
  nextAt: number | null;
  steps: StepView[];
};

type StepView = {
  number: number;
  round: number;
  at: number;
  kind: MadeStep['kind'];
  targetId: number;
  name: string;
  userId: number | null;
  outcome: MadeStep['outcome'];
  detail: string | null;
  deliveries: { uid: string; destinationId: number; state: string; attempts: number }[];
};

/** The chains that ran for an incident, the newest first, with their steps as they were made. */
export async function findEscalations(
  db: Db,
  { tenantId, incidentUid }: { tenantId: number; incidentUid: string },
): Promise<EscalationView[]> {
  return db.prepared<EscalationView>(
    sql`select e.id, e.incident_uid::text as "incidentUid", e.chain_id as "escalationChainId",
        e.chain_name as "chainName", e.state, e.started_at as "startedAt", e.started_by as "startedBy",
        e.ended_at as "endedAt",
        case when e.state = 'RUNNING' then e.next_at end as "nextAt",
        coalesce((select json_agg(json_build_object('number', s.number,
            'round', s.number / jsonb_array_length(e.steps), 'at', s.at, 'kind', s.kind, 'targetId', s.target_id,
            'name', s.name, 'userId', s.user_id, 'outcome', s.outcome, 'detail', s.detail,
            'deliveries', coalesce((select json_agg(json_build_object('uid', d.uid, 'destinationId', d.destination_id,
                'state', d.state, 'attempts', d.attempts) order by d.id)
              from delivery d where d.tenant_id = s.tenant_id and d.escalation_id = s.escalation_id
                and d.escalation_number = s.number), '[]')) order by s.number)
          from escalation_step s where s.tenant_id = e.tenant_id and s.escalation_id = e.id), '[]') as steps
      from escalation e where e.tenant_id = ${tenantId} and e.incident_uid = ${incidentUid}::uuid
      order by e.id desc limit 100`,
  );
}

/** Chains that ended before; their steps go with them. */
export async function purgeEscalations(db: Db, before: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with gone as (delete from escalation where ctid = any(array(
          select ctid from escalation where ended_at < ${before} limit ${limit})) returning 1)
        select count(*) as count from gone`,
    );
    return rows[0]?.count ?? 0;
  });
}

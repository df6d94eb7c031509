import { integer, raw, sql, unplanned } from '../../lib/sql.ts';
import { uidTime } from '../../lib/uid.ts';
import type { Db } from '../db/db.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { acknowledgedExpression } from '../search/documents/alertTable.ts';
import { incidentUidOf } from '../search/documents/incidentUidSql.ts';
import {
  type Escalation,
  type EscalationStart,
  type EscalationState,
  startEscalations,
} from './escalations.ts';

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

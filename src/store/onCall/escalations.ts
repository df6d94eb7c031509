import { storableJson } from '../../lib/json.ts';
import { sql, unplanned } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';
import type { MadeStep } from './steps.ts';

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
export type EscalationState = (typeof escalationStates)[number];

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

import { empty, raw, type Sql, sql } from '../../lib/sql.ts';
import { maxScriptTimeouts } from '../../model/scriptTimeout.ts';
import type { Db } from '../db/db.ts';
import { isBoundByChatType, isMailedType } from '../tables/kindConditions.ts';

export const faultKinds = [
  'detector',
  'trigger',
  'destination',
  'action',
  'wallet',
  'instance',
  'tenant',
] as const;
/**
 * FAILING is retried, SWITCHED_OFF waits for a person, LATE waits for something, INCOMPLETE was never set up, FAILED ended
 * within a day, UNDER_WAY goes on without trouble.
 */
export const faultStates = ['FAILING', 'SWITCHED_OFF', 'LATE', 'INCOMPLETE', 'FAILED', 'UNDER_WAY'] as const;

export type FaultEntry = {
  tenantId: number;
  kind: (typeof faultKinds)[number];
  id: number;
  name: string | null;
  state: (typeof faultStates)[number];
  /** Cause of the fault, where words need it. */
  cause: 'reads' | 'script time' | 'unconfirmed' | 'unbound' | 'timeouts' | 'worker' | null;
  reason: string | null;
  count: number;
  since: number;
  at: number;
};

export type FaultFilter = {
  /** Undefined: those of every tenant. */
  tenantIds: readonly number[] | undefined;
  kind: FaultEntry['kind'] | undefined;
  state: FaultEntry['state'] | undefined;
  from: number;
  size: number;
};

const failedForMs = 24 * 3_600_000;
/** Findings of chains are written within moments where their worker is up. */
const unwrittenMs = 10_000;

/** Faults that a person may have to mend, newest first, and their number. */
export async function findFaults(
  db: Db,
  { tenantIds, kind, state, from, size }: FaultFilter,
  now: number,
): Promise<{ data: FaultEntry[]; total: number }> {
  const inScope = (alias: string) =>
    tenantIds === undefined ? raw('true') : sql`${raw(alias)}.tenant_id = any(${tenantIds}::bigint[])`;
  const rows = await db.query<FaultEntry & { total: number }>(
    sql`with fault (tenant_id, kind, id, name, state, cause, reason, count, since, at) as (
        ${subscribers('detector', inScope)} union all ${subscribers('trigger', inScope)}
        union all ${destinations(inScope)} union all ${bindings(inScope)} union all ${intents(inScope, now)}
        union all ${instances(inScope)} union all ${unwritten(inScope, now)})
      select tenant_id as "tenantId", kind, id, name, state, cause, reason, count, since, at,
        count(*) over () as total
      from fault where true ${kind === undefined ? empty : sql`and kind = ${kind}`}
        ${state === undefined ? empty : sql`and state = ${state}`}
      order by at desc, kind, id, state limit ${size} offset ${from}`,
  );
  return { data: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
}

type Own = (alias: string) => Sql;

/** Detectors or triggers whose last evaluation failed, that Vigil has switched off, or that have blocks to catch up with. */
function subscribers(kind: 'detector' | 'trigger', inScope: Own): Sql {
  const table = raw(kind === 'trigger' ? '"trigger"' : kind);
  return sql`select f.tenant_id, f.kind, f.id, s.name,
      case when s.status = 'ACTIVE' then 'FAILING' else 'SWITCHED_OFF' end, null::text, f.message, f.count,
      f.first_at, f.last_at
    from watch_fault f join ${table} s on s.tenant_id = f.tenant_id and s.id = f.id
    where f.kind = ${kind} and ${inScope('f')}
      and (s.status = 'ACTIVE' or s.status = 'DISABLED' and f.message like 'Switched off, because%')
    union all
    select e.tenant_id, e.kind, e.id, s.name, 'LATE', e.cause, null, e.count, e.since, e.at
    from (select tenant_id, kind, id, case when bool_or(reason = 'read') then 'reads' else 'script time' end as cause,
        count(*)::int as count, min(created_at) as since, max(created_at) as at
      from deferred_evaluation d where kind = ${kind} and ${inScope('d')} group by 1, 2, 3) e
    join ${table} s on s.tenant_id = e.tenant_id and s.id = e.id where s.status = 'ACTIVE'`;
}

function destinations(inScope: Own): Sql {
  const name = raw('coalesce(x.value, x.messenger_a_chat_title)');
  return sql`select x.tenant_id, 'destination', x.id, ${name}, 'SWITCHED_OFF', null, x.disabled_reason, 1,
      coalesce(x.failing_since, x.updated_at), x.updated_at
    from destination x where x.status = 'DISABLED' and x.disabled_reason is not null and ${inScope('x')}
    union all
    select x.tenant_id, 'destination', x.id, ${name}, 'FAILING', null,
      (select d.last_error from delivery d where d.tenant_id = x.tenant_id and d.destination_id = x.id
        and d.last_error is not null order by d.id desc limit 1), 1,
      x.failing_since, coalesce(x.last_failed_at, x.failing_since)
    from destination x where x.status = 'ACTIVE' and x.failing_since is not null and ${inScope('x')}
    union all
    select x.tenant_id, 'destination', x.id, ${name}, 'INCOMPLETE',
      case when ${isMailedType()} then 'unconfirmed' else 'unbound' end, null, 1, x.created_at, x.created_at
    from destination x where x.status = 'ACTIVE' and ${inScope('x')}
      and (${isMailedType()} and x.confirmed_at is null
        or ${isBoundByChatType()} and x.messenger_a_chat_id is null)`;
}

/** Actions that a binding no longer fires, because its scripts do not end. */
function bindings(inScope: Own): Sql {
  return sql`select o.tenant_id, 'action', o.action_id, x.name, 'SWITCHED_OFF', 'timeouts', null, o.count,
      o.updated_at, o.updated_at
    from binding_timeout o join action x on x.tenant_id = o.tenant_id and x.id = o.action_id
    where o.count >= ${maxScriptTimeouts}::int and x.status = 'ACTIVE' and ${inScope('o')}`;
}

/** Calls that failed of late, those under way by action, and those that wait for something by wallet. */
function intents(inScope: Own, now: number): Sql {
  const isOpen = raw("i.state in ('WAITING', 'SIGNED', 'SUBMITTED')");
  const counted = raw('count(*)::int as count, min(i.created_at) as since, max(i.updated_at) as at');
  const newest = raw('(array_agg(i.reason order by i.updated_at desc))[1] as reason');
  return sql`select i.tenant_id, 'action', i.action_id, x.name, i.state, null, i.reason, i.count, i.since, i.at
    from (select i.tenant_id, i.action_id, 'FAILED' as state, ${newest}, ${counted} from action_intent i
        where i.state = 'FAILED' and i.updated_at > ${now - failedForMs}::bigint and ${inScope('i')} group by 1, 2
      union all
      select i.tenant_id, i.action_id, 'UNDER_WAY', null, ${counted} from action_intent i
        where ${isOpen} and i.reason is null and ${inScope('i')} group by 1, 2) i
    join action x on x.tenant_id = i.tenant_id and x.id = i.action_id
    union all
    select i.tenant_id, 'wallet', i.wallet_id, w.name, 'LATE', null, i.reason, i.count, i.since, i.at
    from (select i.tenant_id, i.wallet_id, ${newest}, ${counted} from action_intent i
        where ${isOpen} and i.reason is not null and ${inScope('i')} group by 1, 2) i
    join wallet w on w.tenant_id = i.tenant_id and w.id = i.wallet_id`;
}

/** License instances that are not scored any more, because a script of the license failed. */
function instances(inScope: Own): Sql {
  return sql`select s.tenant_id, 'instance', s.license_instance_id, l.name, 'SWITCHED_OFF', null,
      s.fault->>'message', 1, (s.fault->>'at')::bigint, (s.fault->>'at')::bigint
    from score_lane s join license_instance i on i.tenant_id = s.tenant_id and i.id = s.license_instance_id
    join license l on l.id = i.license_id
    where s.fault is not null and i.status <> 'DELETED' and ${inScope('s')}`;
}

/** Tenants whose findings wait for the worker that has their alerts. */
function unwritten(inScope: Own, now: number): Sql {
  return sql`select w.tenant_id, 'tenant', w.tenant_id, n.name, 'LATE', 'worker', null, w.count, w.since, w.at
    from (select g.tenant_id, count(*)::int as count, min(g.at) as since, max(g.at) as at
        from (select unnest(tenant_ids) as tenant_id, at from group_write) g where ${inScope('g')}
        group by 1 having min(g.at) < ${now - unwrittenMs}::bigint) w
    join tenant n on n.id = w.tenant_id`;
}

import { keysOf } from '../../lib/keysOf.ts';
import { raw, sql } from '../../lib/sql.ts';
import { automaticDetectors } from '../../model/enumerations.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { currentPlan } from '../tables/currentPlan.ts';

const automaticNames = automaticDetectors.map((name) => `'${name}'`).join(', ');

/** Each quantity of a plan that is counted by rows: its member and what is counted; `u` has the tenant's id and the time. */
const counted = {
  maxUsers: { word: 'users', from: "member where status <> 'DELETED'" },
  maxContracts: { word: 'contracts', from: "contract where status <> 'DELETED'" },
  maxProjects: { word: 'projects', from: "project where status <> 'DELETED'" },
  maxTriggers: { word: 'triggers', from: '"trigger" where status <> \'DELETED\'' },
  // Detectors that come with a contract are not counted; a second one of the kind is.
  maxDetectors: {
    word: 'detectors',
    from: `detector d where status <> 'DELETED' and not (
      schema_id in (select s.id from detector_schema s where s.name in (${automaticNames}))
      and not exists (select from detector earlier
        where earlier.tenant_id = d.tenant_id and earlier.contract_id = d.contract_id
        and earlier.schema_id = d.schema_id and earlier.id < d.id and earlier.status <> 'DELETED'))`,
  },
  maxWallets: { word: 'wallets', from: "wallet where status <> 'DELETED'" },
  maxActions: { word: 'actions', from: "action where status <> 'DELETED'" },
  maxApiKeys: {
    word: 'API keys',
    from: "access_token where kind = 'API_KEY' and status <> 'DELETED' and (expired_at is null or expired_at > u.now)",
  },
  maxDestinations: { word: 'destinations', from: "destination where status <> 'DELETED'" },
  maxLabels: { word: 'labels', from: "address_label where status <> 'DELETED'" },
  // Those of a deleted user are gone, unless they are shared.
  maxViews: {
    word: 'saved views',
    from: `saved_view where status <> 'DELETED' and (shared
      or owner_id in (select m.id from member m where m.status <> 'DELETED'))`,
  },
  maxTimeSets: { word: 'time sets', from: "time_set where status <> 'DELETED'" },
  maxSchedules: { word: 'schedules', from: "duty_schedule where status <> 'DELETED'" },
  maxEscalationChains: { word: 'escalation chains', from: "escalation_chain where status <> 'DELETED'" },
  // Those that have ended stay on record.
  maxSilences: { word: 'open silences', from: "silence where status <> 'DELETED' and ends_at > u.now" },
  maxRoutes: { word: 'routes', from: "route where status <> 'DELETED'" },
  maxInhibitions: { word: 'inhibitions', from: "inhibition where status <> 'DELETED'" },
  maxPlannedChanges: {
    word: 'open planned changes',
    from: "planned_change where status <> 'DELETED' and ends_at > u.now",
  },
  maxInvites: {
    word: 'open invites',
    from: "invite where status <> 'DELETED' and accepted_at is null and expired_at > u.now",
  },
} as const;

export type CountedLimit = keyof typeof counted;
/** Streams are counted where they are open, and pushed alerts by the minute. */
type PlanLimit = CountedLimit | 'maxStreams' | 'maxPushedAlerts';
export type Plan = { id: number; name: string } & Record<PlanLimit, number>;

const planColumns = `p.id, p.name, p.max_users as "maxUsers", p.max_contracts as "maxContracts",
  p.max_projects as "maxProjects", p.max_triggers as "maxTriggers", p.max_detectors as "maxDetectors",
  p.max_wallets as "maxWallets", p.max_actions as "maxActions", p.max_api_keys as "maxApiKeys",
  p.max_destinations as "maxDestinations", p.max_labels as "maxLabels", p.max_streams as "maxStreams",
  p.max_invites as "maxInvites", p.max_pushed_alerts as "maxPushedAlerts", p.max_views as "maxViews",
  p.max_time_sets as "maxTimeSets", p.max_silences as "maxSilences",
  p.max_schedules as "maxSchedules", p.max_escalation_chains as "maxEscalationChains",
  p.max_routes as "maxRoutes", p.max_inhibitions as "maxInhibitions",
  p.max_planned_changes as "maxPlannedChanges"`;

export async function findPlan(db: Db, tenantId: number, now: number): Promise<Plan> {
  const rows = await db.prepared<Plan>(
    sql`select ${raw(planColumns)} from ${currentPlan(sql`${tenantId}::bigint`, now)}`,
  );
  return onlyRow(rows);
}

/** Lifetime of an API key of a tenant; without a tenant that of no subscription. */
export async function findApiKeyDays(
  db: Db,
  tenantId: number | null,
  now: number,
): Promise<{ plan: string; days: number }> {
  const rows = await db.prepared<{ plan: string; days: number }>(
    sql`select p.name as plan, p.api_key_days as days from ${currentPlan(sql`${tenantId}::bigint`, now)}`,
  );
  return onlyRow(rows);
}

/** Holds the tenant's counts still until the transaction ends. */
export async function lockQuantities(db: Db, tenantId: number): Promise<void> {
  await db.prepared(sql`select 1 from tenant where id = ${tenantId} for no key update`);
}

export async function countQuantity(
  db: Db,
  tenantId: number,
  limit: CountedLimit,
  now: number,
): Promise<number> {
  return (await count(db, tenantId, [limit], now))[limit];
}

export type PlanUse = {
  id: number;
  name: string;
  limits: Record<PlanLimit, number>;
  use: Record<PlanLimit, number>;
};

/** The plan of a tenant beside what the tenant has; how many streams are open is known to the process alone. */
export async function findPlanUse(
  db: Db,
  tenantId: number,
  maxStreams: number,
  now: number,
): Promise<PlanUse> {
  const { id, name, ...limits } = await findPlan(db, tenantId, now);
  const maxPushedAlerts = await countPushedAlerts(db, tenantId, now);
  const use = { ...(await countQuantities(db, tenantId, now)), maxStreams, maxPushedAlerts };
  return { id, name, limits, use };
}

export async function countQuantities(
  db: Db,
  tenantId: number,
  now: number,
): Promise<Record<CountedLimit, number>> {
  return count(db, tenantId, keysOf(counted), now);
}

async function count<L extends CountedLimit>(
  db: Db,
  tenantId: number,
  limits: readonly L[],
  now: number,
): Promise<Record<L, number>> {
  const counts = limits.map(
    (limit) => `(select count(*) from ${counted[limit].from} and tenant_id = u.id) as "${limit}"`,
  );
  const rows = await db.prepared<Record<L, number>>(
    sql`select ${raw(counts.join(', '))} from (select ${tenantId}::bigint as id, ${now}::bigint as now) u`,
  );
  return onlyRow(rows);
}

export function quantityWord(limit: CountedLimit): string {
  return counted[limit].word;
}

const minuteOf = (now: number) => now - (now % 60_000);

async function countPushedAlerts(db: Db, tenantId: number, now: number): Promise<number> {
  const rows = await db.prepared<{ count: number }>(
    sql`select count from pushed_alerts where tenant_id = ${tenantId} and minute = ${minuteOf(now)}`,
  );
  return rows[0]?.count ?? 0;
}

/** Alerts that the plan lets the tenant push in a minute, and those pushed in this one; locks nothing. */
export async function findPushLimit(
  db: Db,
  tenantId: number,
  now: number,
): Promise<{ name: string; limit: number; count: number }> {
  const rows = await db.prepared<{ name: string; limit: number; count: number }>(
    sql`select p.name, p.max_pushed_alerts as limit, coalesce((select u.count from pushed_alerts u
        where u.tenant_id = ${tenantId}::bigint and u.minute >= ${minuteOf(now)}::bigint), 0) as count
      from ${currentPlan(sql`${tenantId}::bigint`, now)}`,
  );
  return onlyRow(rows);
}

/**
 * Adds pushed alerts to those of the minute and returns how many there are, and whether the detector takes any; the transaction
 * holds the number and the detector still.
 */
export async function addPushedAlerts(
  tx: Db,
  detector: { tenantId: number; id: number },
  more: number,
  now: number,
): Promise<{ count: number; isOpen: boolean } | undefined> {
  const rows = await tx.prepared<{ count: number; isOpen: boolean }>(
    sql`with counted as (
        insert into pushed_alerts as u (tenant_id, minute, count)
        values (${detector.tenantId}, ${minuteOf(now)}, ${more})
        on conflict (tenant_id) do update set minute = greatest(u.minute, excluded.minute),
          count = excluded.count + case when u.minute >= excluded.minute then u.count else 0 end
        returning count)
      select counted.count, d.status = 'ACTIVE' and d.source = 'EXTERNAL' as "isOpen" from counted, detector d
      where d.tenant_id = ${detector.tenantId} and d.id = ${detector.id} for no key update of d`,
  );
  return rows[0];
}

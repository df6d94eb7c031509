import { raw, sql } from '../lib/sql.ts';
import { automaticDetectors } from '../model/enumerations.ts';
import type { Db } from './db.ts';

/** Each quantity of a plan: its member and what is counted; `u` has the tenant's id and the time. */
const quantities = {
  maxUsers: { word: 'users', from: "member where status <> 'DELETED'" },
  maxContracts: { word: 'contracts', from: "contract where status <> 'DELETED'" },
  maxProjects: { word: 'projects', from: "project where status <> 'DELETED'" },
  maxTriggers: { word: 'triggers', from: '"trigger" where status <> \'DELETED\'' },
  // What comes with a contract by itself is not counted; a second one of the kind is.
  maxDetectors: {
    word: 'detectors',
    from: `detector d where status <> 'DELETED' and not (
      schema_id in (select s.id from detector_schema s where s.name in (${automaticDetectors.map((name) => `'${name}'`).join(', ')}))
      and not exists (select from detector e where e.tenant_id = d.tenant_id and e.contract_id = d.contract_id
        and e.schema_id = d.schema_id and e.id < d.id and e.status <> 'DELETED'))`,
  },
  maxWallets: { word: 'wallets', from: "wallet where status <> 'DELETED'" },
  maxActions: { word: 'actions', from: "action where status <> 'DELETED'" },
  maxApiKeys: {
    word: 'API keys',
    from: "access_token where kind = 'API_KEY' and status <> 'DELETED' and (expired_at is null or expired_at > u.now)",
  },
} as const;

export type PlanLimit = keyof typeof quantities;
export type Plan = { id: number; name: string } & Record<PlanLimit, number>;

const planColumns = `p.id, p.name, p.max_users as "maxUsers", p.max_contracts as "maxContracts",
  p.max_projects as "maxProjects", p.max_triggers as "maxTriggers", p.max_detectors as "maxDetectors",
  p.max_wallets as "maxWallets", p.max_actions as "maxActions", p.max_api_keys as "maxApiKeys"`;

/** The plan of the newest running subscription, else the free plan. */
export async function findPlan(db: Db, tenantId: number, now: number): Promise<Plan> {
  const rows = await db.prepared<Plan>(
    sql`select ${raw(planColumns)} from plan p
      left join subscription s on s.plan_id = p.id and s.tenant_id = ${tenantId} and s.status = 'ACTIVE'
        and s.start_date <= ${now} and s.expiration_date > ${now}
      where s.id is not null or p.is_free
      order by s.start_date desc nulls last, s.id desc nulls last limit 1`,
  );
  return rows[0]!;
}

/** Holds the tenant's counts still until the transaction ends. */
export async function lockQuantities(db: Db, tenantId: number): Promise<void> {
  await db.prepared(sql`select 1 from tenant where id = ${tenantId} for no key update`);
}

export async function countQuantity(
  db: Db,
  tenantId: number,
  limit: PlanLimit,
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

/** The plan of a tenant beside what the tenant has. */
export async function findPlanUse(db: Db, tenantId: number, now: number): Promise<PlanUse> {
  const { id, name, ...limits } = await findPlan(db, tenantId, now);
  return { id, name, limits, use: await countQuantities(db, tenantId, now) };
}

export async function countQuantities(
  db: Db,
  tenantId: number,
  now: number,
): Promise<Record<PlanLimit, number>> {
  return count(db, tenantId, Object.keys(quantities) as PlanLimit[], now);
}

async function count<L extends PlanLimit>(
  db: Db,
  tenantId: number,
  limits: readonly L[],
  now: number,
): Promise<Record<L, number>> {
  const counts = limits.map(
    (limit) => `(select count(*) from ${quantities[limit].from} and tenant_id = u.id) as "${limit}"`,
  );
  const rows = await db.prepared<Record<L, number>>(
    sql`select ${raw(counts.join(', '))} from (select ${tenantId}::bigint as id, ${now}::bigint as now) u`,
  );
  return rows[0]!;
}

export function quantityWord(limit: PlanLimit): string {
  return quantities[limit].word;
}

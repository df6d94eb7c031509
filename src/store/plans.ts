import { raw, sql } from '../lib/sql.ts';
import type { Db } from './db.ts';

/** Each quantity of a plan: its member, the plan's column and what is counted. */
const quantities = {
  maxUsers: { word: 'users', from: "member where status <> 'DELETED'" },
  maxContracts: { word: 'contracts', from: "contract where status <> 'DELETED'" },
  maxProjects: { word: 'projects', from: "project where status <> 'DELETED'" },
  maxTriggers: { word: 'triggers', from: '"trigger" where status <> \'DELETED\'' },
  // The attack detector comes with every contract, whatever the plan.
  maxDetectors: {
    word: 'detectors',
    from: "detector where status <> 'DELETED' and source <> 'ATTACK_DETECTOR'",
  },
  maxWallets: { word: 'wallets', from: "wallet where status <> 'DELETED'" },
  maxActions: { word: 'actions', from: "action where status <> 'DELETED'" },
  maxApiKeys: { word: 'API keys', from: "access_token where kind = 'API_KEY' and status <> 'DELETED'" },
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

export async function countQuantity(db: Db, tenantId: number, limit: PlanLimit): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(*) as count from ${raw(quantities[limit].from)} and tenant_id = ${tenantId}`,
  );
  return rows[0]!.count;
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
  return { id, name, limits, use: await countQuantities(db, tenantId) };
}

export async function countQuantities(db: Db, tenantId: number): Promise<Record<PlanLimit, number>> {
  const counts = Object.entries(quantities).map(
    ([limit, { from }]) => `(select count(*) from ${from} and tenant_id = $.id) as "${limit}"`,
  );
  const rows = await db.prepared<Record<PlanLimit, number>>(
    sql`select ${raw(counts.join(', ').replaceAll('$', 'u'))} from (select ${tenantId}::bigint as id) u`,
  );
  return rows[0]!;
}

export function quantityWord(limit: PlanLimit): string {
  return quantities[limit].word;
}

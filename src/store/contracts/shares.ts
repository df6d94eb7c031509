import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export const shareStatuses = ['OFFERED', 'ACCEPTED', 'DECLINED'] as const;
export type Share = {
  projectId: number;
  name: string;
  ownerTenantId: number;
  ownerName: string;
  status: (typeof shareStatuses)[number];
};

/** Projects that other tenants offer to share with this one, newest first. */
export async function findShares(db: Db, tenantId: number): Promise<Share[]> {
  return db.query<Share>(
    sql`select p.id as "projectId", p.name, p.tenant_id as "ownerTenantId", n.name as "ownerName",
        case when p.accepted_tenant_ids @> ${[tenantId]}::bigint[] then 'ACCEPTED'
          when p.declined_tenant_ids @> ${[tenantId]}::bigint[] then 'DECLINED' else 'OFFERED' end as status
      from project p join tenant n on n.id = p.tenant_id
      where p.view_tenant_ids && ${[tenantId]}::bigint[] and p.tenant_id <> ${tenantId}
        and p.status <> 'DELETED' and n.status <> 'DELETED'
      order by p.id desc limit 1000`,
  );
}

/** Records a tenant's answer to an offer; returns the owner, or undefined when nothing is offered. */
export async function updateShare(
  db: Db,
  { tenantId, projectId }: { tenantId: number; projectId: number },
  answer: 'ACCEPTED' | 'DECLINED',
): Promise<{ ownerTenantId: number } | undefined> {
  const [into, from] =
    answer === 'ACCEPTED'
      ? [sql`accepted_tenant_ids`, sql`declined_tenant_ids`]
      : [sql`declined_tenant_ids`, sql`accepted_tenant_ids`];
  const rows = await db.query<{ ownerTenantId: number }>(
    sql`update project set ${into} = array_append(array_remove(${into}, ${tenantId}::bigint), ${tenantId}::bigint),
        ${from} = array_remove(${from}, ${tenantId}::bigint)
      where id = ${projectId} and tenant_id <> ${tenantId} and view_tenant_ids @> ${[tenantId]}::bigint[]
        and status <> 'DELETED' and tenant_id in (select id from tenant where status <> 'DELETED')
      returning tenant_id as "ownerTenantId"`,
  );
  return rows[0];
}

/** Answers of tenants that the project is no longer offered to are forgotten: they would have to accept again. */
export async function deleteStaleAnswers(db: Db, tenantId: number, projectId: number): Promise<void> {
  await db.query(
    sql`update project set
        accepted_tenant_ids = array(select v from unnest(accepted_tenant_ids) v where v = any(view_tenant_ids)),
        declined_tenant_ids = array(select v from unnest(declined_tenant_ids) v where v = any(view_tenant_ids))
      where tenant_id = ${tenantId} and id = ${projectId}`,
  );
}

/** Those of the ids that are tenants. */
export async function findTenantIds(db: Db, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>(
    sql`select id from tenant where id = any(${ids}) and status <> 'DELETED' for key share`,
  );
  return new Set(rows.map(({ id }) => id));
}

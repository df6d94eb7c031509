import { raw, type Sql, sql } from '../../../lib/sql.ts';
import type { Db } from '../db.ts';

/** A condition on rows of an alias: those of the tenant, or all where several are asked for at once. */
export type OfTenant = (alias: string) => Sql;

/**
 * Runs a statement for items of several tenants: once on plain PostgreSQL, and tenant by tenant on Citus, which routes
 * to one worker and locks there only if the tenant is named.
 */
export async function perTenant<Item extends { tenantId: number }, Row>(
  db: Db,
  items: readonly Item[],
  run: (items: readonly Item[], ofTenant: OfTenant) => Promise<readonly Row[]>,
): Promise<Row[]> {
  if (items.length === 0) return [];
  if (!(await db.isDistributed())) return [...(await run(items, () => raw('true')))];
  const rows: Row[] = [];
  // In the order of tenants, so that two transactions cannot wait for each other.
  for (const [tenantId, tenantItems] of [...byTenant(items)].sort(([a], [b]) => a - b))
    for (const row of await run(tenantItems, (alias) => sql`${raw(alias)}.tenant_id = ${tenantId}::bigint`))
      rows.push(row);
  return rows;
}

function byTenant<Item extends { tenantId: number }>(items: readonly Item[]): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const group = groups.get(item.tenantId);
    if (group) group.push(item);
    else groups.set(item.tenantId, [item]);
  }
  return groups;
}

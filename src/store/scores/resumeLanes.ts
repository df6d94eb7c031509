import { raw, type Sql, sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';

/**
 * Resumes these instances with the current license: clears their faults and ends their leases, so that work under way is
 * scored again. With `isClockReset` ticks count from now on.
 */
export async function resumeLanes(
  tx: Db,
  target: { licenseId: number } | { scoreGroupId: number } | { instanceId: number; tenantId: number },
  { isClockReset = false }: { isClockReset?: boolean } = {},
): Promise<void> {
  await tx.query(
    sql`with resumed as (
        update score_lane s set fault = null, holder = null, lease_until = null
          ${raw(isClockReset ? ', next_tick_at = null' : '')}
        from license_instance i
        where i.tenant_id = s.tenant_id and i.id = s.license_instance_id and ${conditionOf(target)} returning 1)
      select announce('vigil_score') from resumed limit 1`,
  );
}

function conditionOf(of: Parameters<typeof resumeLanes>[1]): Sql {
  if ('licenseId' in of) return sql`i.license_id = ${of.licenseId}`;
  if ('scoreGroupId' in of)
    return sql`i.license_id = (select g.license_id from score_group g where g.id = ${of.scoreGroupId})`;
  return sql`i.tenant_id = ${of.tenantId} and i.id = ${of.instanceId}`;
}

/** Licensed instances that no fault has stopped. */
export async function countRunningInstances(db: Db, licenseId: number): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(*) as count from license_instance i
      left join score_lane s on s.tenant_id = i.tenant_id and s.license_instance_id = i.id
      where i.license_id = ${licenseId} and i.status <> 'DELETED' and i.license_status = 'LICENCED'
        and s.fault is null`,
  );
  return onlyRow(rows).count;
}

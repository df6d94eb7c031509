import { sql } from '../../../lib/sql.ts';
import { type AlertGroup, complianceTags } from '../../../model/alert.ts';
import { type Db, onlyRow } from '../../db/db.ts';

/**
 * Number of detectors, triggers and actions on a contract, by the group of its alerts: detectors if active, the others
 * in any state.
 */
export async function countContractEntries(
  db: Db,
  { id, tenantId }: { id: number; tenantId: number },
): Promise<Record<AlertGroup, number>> {
  const rows = await db.prepared<Record<AlertGroup, number>>(
    sql`select count(*) filter (where not is_compliance) as "SECURITY",
        count(*) filter (where is_compliance) as "COMPLIANCE",
        (select count(*) from action
         where tenant_id = ${tenantId} and contract_id = ${id} and status <> 'DELETED') as action,
        (select count(*) from "trigger"
         where tenant_id = ${tenantId} and contract_id = ${id} and status <> 'DELETED') as trigger
      from (select s.tags && ${complianceTags}::text[] as is_compliance
            from detector d join detector_schema s on s.id = d.schema_id
            where d.tenant_id = ${tenantId} and d.contract_id = ${id} and d.status = 'ACTIVE') d`,
  );
  return onlyRow(rows);
}

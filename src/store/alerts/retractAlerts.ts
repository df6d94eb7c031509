import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { addToRollups } from './rollups.ts';

export type Block = { number: number; hash: string };

export type RetractedAlert = {
  uid: string;
  tenantId: number;
  contractId: number;
  timestamp: number;
  group: string;
  numericSeverity: number;
  isResolved: boolean;
  incidentUid: string | null;
};

/** Retracts the alerts of these blocks and subtracts them from the roll-ups; skips those already retracted. */
export async function retractAlerts(
  tx: Db,
  chainUid: string,
  blocks: readonly Block[],
  now: number,
): Promise<RetractedAlert[]> {
  return tx.prepared<RetractedAlert>(
    sql`with retracted as (
        update alert t set retracted_at = ${now}
        from unnest(${blocks.map(({ number }) => number)}::bigint[],
          ${blocks.map(({ hash }) => hash)}::text[]) b(number, hash)
        where t.chain_uid = ${chainUid} and t.block_number = b.number and t.block_hash = b.hash
          and t.retracted_at is null
        returning t.uid, t.tenant_id, t.contract_id, t.timestamp, t.alert_group, t.numeric_severity, t.is_resolved,
          t.incident_uid),
      counted as (${addToRollups('retracted', -1)})
      select uid, tenant_id as "tenantId", contract_id as "contractId", timestamp, alert_group as "group",
        numeric_severity as "numericSeverity", is_resolved as "isResolved", incident_uid::text as "incidentUid"
      from retracted`,
  );
}

import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import type { InsertedAlert } from './insertAlerts.ts';
import { addToRollups } from './rollups.ts';

export type Block = { number: number; hash: string };

export type RetractedAlert = InsertedAlert;

/** Retracts the alerts of these blocks and subtracts them from the roll-ups; skips those already retracted. */
export async function retractAlerts(
  tx: Db,
  chainUid: string,
  blocks: readonly Block[],
  now: number,
): Promise<RetractedAlert[]> {
  const retracted = await tx.prepared<RetractedAlert>(
    sql`update alert t set retracted_at = ${now}
      from unnest(${blocks.map(({ number }) => number)}::bigint[],
        ${blocks.map(({ hash }) => hash)}::text[]) b(number, hash)
      where t.chain_uid = ${chainUid} and t.block_number = b.number and t.block_hash = b.hash and t.retracted_at is null
      returning t.uid, t.tenant_id as "tenantId", t.contract_id as "contractId", t.timestamp, t.alert_group as "group",
        t.numeric_severity as "numericSeverity", t.is_resolved as "isResolved", t.incident_uid::text as "incidentUid"`,
  );
  await addToRollups(tx, retracted, -1);
  return retracted;
}

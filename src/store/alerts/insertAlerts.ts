import { storableJson } from '../../lib/json.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { publish } from './alertEvents.ts';
import { addToRollups } from './rollups.ts';

export type InsertedAlert = {
  uid: string;
  isResolved: boolean;
  incidentUid: string | null;
  beginsIncident: boolean;
};

/**
 * Inserts the alerts that do not exist yet, with their roll-ups and stream events, and returns these. A retracted
 * alert is restored when its block is part of the chain again; it begins no incident, so that this one gets a row that counts it.
 */
export async function insertAlerts(
  tx: Db,
  rows: readonly Record<string, unknown>[],
): Promise<InsertedAlert[]> {
  if (rows.length === 0) return [];
  return tx.prepared<InsertedAlert>(
    sql`with inserted as (
        insert into alert select * from json_populate_recordset(null::alert, ${storableJson(rows)}::json)
        on conflict (tenant_id, timestamp, uid) do update set retracted_at = null, retraction_reason = null,
          incident_at = null
          where alert.retracted_at is not null
        returning uid, tenant_id, contract_id, timestamp, alert_group, numeric_severity, is_resolved, incident_uid,
          incident_at),
      published as (${publish(raw('inserted'), 'raised')}),
      counted as (${addToRollups('inserted', 1)})
      select uid, is_resolved as "isResolved", incident_uid as "incidentUid",
        incident_at is not null as "beginsIncident"
      from inserted`,
  );
}

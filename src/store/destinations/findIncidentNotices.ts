import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { restoreMessages } from './archivedMessages.ts';
import { messageData } from './claimDeliveries.ts';

/** Notices of an incident to a destination, sent or pending. */
export type IncidentNotice = {
  destinationId: number;
  incidentUid: string;
  numericSeverity: number;
  /** Due time of the last message. */
  dueAt: number;
  /** True if the destination has a message about this incident alone. */
  hasMessage: boolean;
};

export async function findIncidentNotices(
  tx: Db,
  incidents: readonly { tenantId: number; uid: string }[],
  now: number,
): Promise<IncidentNotice[]> {
  const raised = sql`unnest(${incidents.map(({ tenantId }) => tenantId)}::bigint[],
      ${incidents.map(({ uid }) => uid)}::uuid[]) k(tenant_id, uid)
    join delivery d on d.tenant_id = k.tenant_id and d.incident_uid = k.uid
    where d.type in ('alert.detector.raised', 'alert.trigger.raised') and d.state in ('PENDING', 'DELIVERED')`;
  await restoreMessages(tx, raised, now);
  return tx.prepared<IncidentNotice>(
    sql`select d.destination_id as "destinationId", d.incident_uid::text as "incidentUid",
        max((${messageData}->>'numericSeverity')::int) as "numericSeverity", max(d.next_attempt_at) as "dueAt",
        exists (select from incident_message m where m.tenant_id = d.tenant_id and m.incident_uid = d.incident_uid
          and m.destination_id = d.destination_id) as "hasMessage"
      from ${raised}
      group by d.tenant_id, d.destination_id, d.incident_uid`,
  );
}

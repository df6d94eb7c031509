import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

export type BoundSource = {
  kind: 'detector' | 'trigger' | 'action';
  /** The detector, the trigger or the action. */
  recordId: number;
  name: string;
  /** The binding inside that record. */
  bindingId: number;
  minSeverity: string | null;
  query: string | null;
};

/** Everything that sends its alerts to a destination, and which of them. */
export async function findBindings(db: Db, tenantId: number, destinationId: number): Promise<BoundSource[]> {
  return db.query<BoundSource>(
    sql`select 'detector' as kind, r.id as "recordId", r.name, b.id as "bindingId", b.min_severity as "minSeverity", b.query
        from detector_destination b join detector r on r.tenant_id = b.tenant_id and r.id = b.detector_id
        where b.tenant_id = ${tenantId} and b.destination_id = ${destinationId} and r.status <> 'DELETED'
      union all
      select 'trigger', r.id, r.name || ': ' || a.name, b.id, b.min_severity, b.query
        from trigger_alert_destination b join trigger_alert a on a.tenant_id = b.tenant_id and a.id = b.trigger_alert_id
        join "trigger" r on r.tenant_id = a.tenant_id and r.id = a.trigger_id
        where b.tenant_id = ${tenantId} and b.destination_id = ${destinationId} and r.status <> 'DELETED'
      union all
      select 'action', r.id, r.name, b.id, b.min_severity, b.query
        from action_destination b join action r on r.tenant_id = b.tenant_id and r.id = b.action_id
        where b.tenant_id = ${tenantId} and b.destination_id = ${destinationId} and r.status <> 'DELETED'
      order by 1, 2, 4`,
  );
}

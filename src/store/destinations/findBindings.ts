import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export type BoundSource = {
  kind: 'detector' | 'trigger' | 'action';
  /** The detector, the trigger or the action. */
  recordId: number;
  name: string;
  /** The binding inside that record. */
  bindingId: number;
  minSeverity: string | null;
  query: string | null;
  afterConfirmations: number | null;
};

/** The detectors, triggers and actions that send their alerts to a destination, with their filters. */
export async function findBindings(db: Db, tenantId: number, destinationId: number): Promise<BoundSource[]> {
  const isBound = sql`b.tenant_id = ${tenantId} and b.destination_id = ${destinationId}`;
  return db.query<BoundSource>(
    sql`select 'detector' as kind, d.id as "recordId", d.name, b.id as "bindingId",
          b.min_severity as "minSeverity", b.query, b.after_confirmations as "afterConfirmations"
        from detector_destination b join detector d on d.tenant_id = b.tenant_id and d.id = b.detector_id
        where ${isBound} and d.status <> 'DELETED'
      union all
      select 'trigger', t.id, t.name || ': ' || a.name, b.id, b.min_severity, b.query, b.after_confirmations
        from trigger_alert_destination b
        join trigger_alert a on a.tenant_id = b.tenant_id and a.id = b.trigger_alert_id
        join "trigger" t on t.tenant_id = a.tenant_id and t.id = a.trigger_id
        where ${isBound} and t.status <> 'DELETED'
      union all
      select 'action', x.id, x.name, b.id, b.min_severity, b.query, b.after_confirmations
        from action_destination b join action x on x.tenant_id = b.tenant_id and x.id = b.action_id
        where ${isBound} and x.status <> 'DELETED'
      order by 1, 2, 4`,
  );
}

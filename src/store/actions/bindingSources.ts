import { raw, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** The source that fires an action through a binding: a detector, or an alert of a trigger. */
export type BindingSource = {
  kind: 'detector' | 'trigger';
  /** Of the detector or of the trigger alert. */
  id: number;
  name: string;
  contractId: number;
  /** The name of the detector schema, or the trigger's type. */
  type: string;
  isExternal: boolean;
};

export async function findBindingSources(
  db: Db,
  tenantId: number,
  { detectorIds, triggerAlertIds }: { detectorIds: readonly number[]; triggerAlertIds: readonly number[] },
): Promise<BindingSource[]> {
  return db.query<BindingSource>(
    sql`select 'detector' as kind, d.id, d.name, d.contract_id as "contractId", s.name as type,
        d.source = 'EXTERNAL' as "isExternal"
      from detector d join detector_schema s on s.id = d.schema_id
      where d.tenant_id = ${tenantId} and d.id = any(${detectorIds}::bigint[])
      union all
      select 'trigger', a.id, a.name, t.contract_id, t.trigger_type, false
      from trigger_alert a join "trigger" t on t.tenant_id = a.tenant_id and t.id = a.trigger_id
      where a.tenant_id = ${tenantId} and a.id = any(${triggerAlertIds}::bigint[])`,
  );
}

/** Alerts of the contract that are searched at most, so that a busy one does not slow down saving. */
const searchedAlerts = 2000;

/** The newest alerts of a source, without those about its own faults. */
export async function findRecentAlerts(
  db: Db,
  tenantId: number,
  { kind, id, contractId }: BindingSource,
  limit: number,
): Promise<{ tenantId: number; timestamp: number; uid: string }[]> {
  const isOwn =
    kind === 'detector'
      ? sql`n.detector_id = ${id}`
      : sql`n.meta -> 'triggerAlertId' = to_jsonb(${id}::bigint)`;
  return db.query(
    sql`select n.tenant_id as "tenantId", n.timestamp, n.uid::text from (
        select t.* from alert t where t.tenant_id = ${tenantId} and t.contract_id = ${contractId} and t.kind = ${kind}
          and t.retracted_at is null order by t.timestamp desc limit ${raw(String(searchedAlerts))}) n
      where ${isOwn} and not n.tags @> array['vigil'] order by n.timestamp desc limit ${limit}`,
  );
}

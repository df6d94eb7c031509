import { raw, type Sql, sql } from '../../lib/sql.ts';
import { uidTime } from '../../lib/uid.ts';
import type { Db } from '../db/db.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { txHashSql } from '../search/documents/packedHashes.ts';

/** The number of an incident, which follows from its uid. Those that came before this rule have numbers of a sequence. */
export const incidentId = (uid: string) => raw(`('x' || right(${uid}::text, 12))::bit(48)::bigint`);

const columns = `tenant_id, uid, id, chain_uid, name, message, numeric_severity, alerts, open_alerts, contract_ids,
  tx_hashes, first_at, last_at, created_at, updated_at, acknowledged_at, acknowledged_by, acknowledged_by_id,
  acknowledged_until, acknowledged_severity, assignee_id, disposition, disposition_reason`;

/** An incident of one alert as an incident's columns; `t` is the alert. */
const loneColumns = sql`t.tenant_id, t.uid, ${incidentId('t.uid')} as id, t.chain_uid, t.name, t.message,
  t.numeric_severity, (t.retracted_at is null)::int as alerts,
  (t.retracted_at is null and not t.is_resolved)::int as open_alerts, array[t.contract_id] as contract_ids,
  array_remove(array[${txHashSql}], null) as tx_hashes, t.timestamp as first_at, t.timestamp as last_at,
  t.incident_at as created_at, coalesce(t.retracted_at, t.incident_at) as updated_at, null::bigint as acknowledged_at,
  null::text as acknowledged_by, null::bigint as acknowledged_by_id, null::bigint as acknowledged_until,
  null::smallint as acknowledged_severity, null::bigint as assignee_id, null::text as disposition,
  null::text as disposition_reason`;

/** Alerts that began an incident which has no row of its own. */
const isLone = raw(`t.incident_at is not null
  and not exists (select from incident i where i.tenant_id = t.tenant_id and i.uid = t.uid)`);

const status = `case when alerts = 0 then 'RETRACTED' when open_alerts = 0 then 'RESOLVED' else 'UNRESOLVED' end`;
const stored = raw(`(select ${columns}, status from incident)`);
const lone = sql`(select ${raw(columns)}, ${raw(status)} as status
  from (select ${loneColumns} from alert t where ${isLone}) alone)`;

/** Every incident, with and without a row. */
export const allIncidents = sql`(select * from ${stored} stored union all select * from ${lone} lone)`;

/** The same for a lateral join or a from clause, where each half ends with a condition, order or limit of its own on `t`. */
export function incidentsWhere(tail: Sql, loneTail = tail): Sql {
  return sql`((select * from ${stored} t ${tail}) union all (select * from ${lone} t ${loneTail}))`;
}

/**
 * Writes the rows of incidents that are only an alert so far, of the alerts `t` that match the condition. Locks these alerts, so
 * that their state does not change before the transaction ends.
 */
export async function writeLoneIncidents(tx: Db, condition: Sql): Promise<void> {
  await tx.query(
    sql`insert into incident (${raw(columns)}) select ${loneColumns} from alert t where ${isLone} and ${condition}
      order by t.tenant_id, t.uid for no key update of t on conflict (tenant_id, uid) do nothing`,
  );
}

/** The same for these incidents, by the alerts that began them. */
export async function writeStartedIncidents(
  tx: Db,
  incidents: readonly { tenantId: number; uid: string }[],
): Promise<void> {
  await perTenant(tx, incidents, async (of, ofTenant) => {
    const condition = sql`t.tenant_id = any(${of.map(({ tenantId }) => tenantId)}::bigint[])
      and t.timestamp = any(${of.map(({ uid }) => uidTime(uid) ?? 0)}::bigint[])
      and t.uid = any(${of.map(({ uid }) => uid)}::uuid[]) and ${ofTenant('t')}`;
    await writeLoneIncidents({ ...tx, query: tx.prepared }, condition);
    return [];
  });
}

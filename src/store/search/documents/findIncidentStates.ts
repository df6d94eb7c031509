import { raw, sql } from '../../../lib/sql.ts';
import { uidTime } from '../../../lib/uid.ts';
import type { Db } from '../../db/db.ts';
import { findCommitted } from '../../db/shards/findCommitted.ts';
import { acknowledgedExpression } from './alertTable.ts';

/** `isLone`: it is only an alert so far, without a row of its own. */
export type IncidentState = {
  uid: string;
  firstAt: number;
  isOpen: boolean;
  isAcknowledged?: boolean;
  isLone: boolean;
};

const acknowledged = (alias: string) => raw(acknowledgedExpression(alias));

/** The incidents to which keys lead, by uid; those that retention has removed are closed. */
export async function findIncidentStates(
  tx: Db,
  incidents: readonly { tenantId: number; uid: string }[],
): Promise<Map<string, IncidentState>> {
  const incidentRows = await findCommitted(tx, incidents, (of, ofTenant) =>
    tx.prepared<IncidentState>(
      sql`select k.uid::text, coalesce(i.first_at, t.timestamp) as "firstAt",
        coalesce(i.status = 'UNRESOLVED', t.retracted_at is null and not t.is_resolved) as "isOpen",
        coalesce(${acknowledged('i')}, false) or (i.uid is null and coalesce(${acknowledged('t')}, false))
          as "isAcknowledged",
        i.uid is null as "isLone"
      from unnest(${of.map(({ tenantId }) => tenantId)}::bigint[],
        ${of.map(({ uid }) => uid)}::uuid[], ${of.map(({ uid }) => uidTime(uid) ?? 0)}::bigint[])
        k(tenant_id, uid, timestamp)
      left join incident i on i.tenant_id = k.tenant_id and i.uid = k.uid and ${ofTenant('i')}
      left join alert t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid
        and t.incident_at is not null and ${ofTenant('t')}
      where i.uid is not null or t.uid is not null`,
    ),
  );
  const gone = incidents.map(({ uid }) => ({
    uid,
    firstAt: uidTime(uid) ?? 0,
    isOpen: false,
    isAcknowledged: false,
    isLone: false,
  }));
  return new Map([...gone, ...incidentRows].map((state) => [state.uid, state]));
}

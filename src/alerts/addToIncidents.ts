import { type Finding, type RaisedAlert, severityOf } from '../model/alert.ts';
import { coverAlerts } from '../store/alerts/acknowledge.ts';
import {
  growIncidents,
  type IncidentGrowth,
  type IncidentKey,
  pointIncidentKeys,
} from '../store/alerts/incidents.ts';
import type { Db } from '../store/db/db.ts';

type Fresh = {
  finding: Finding;
  uid: string;
  isResolved: boolean;
  incidentUid: string | null;
  beginsIncident: boolean;
};

/** Adds new alerts to the incidents that they were assigned to; each learns which alert of its incident it is. */
export async function addToIncidents(
  tx: Db,
  fresh: readonly Fresh[],
  keys: readonly IncidentKey[],
): Promise<RaisedAlert[]> {
  const growth = new Map<string, IncidentGrowth>();
  for (const { finding, isResolved, incidentUid } of fresh)
    if (incidentUid) growth.set(incidentUid, grow(growth.get(incidentUid), finding, incidentUid, isResolved));
  // A batch that only repeats what is stored must not move keys.
  const moved = keys.filter(({ incidentUid }) => growth.has(incidentUid));
  await pointIncidentKeys(tx, moved);
  // One that begins with a single alert needs no row.
  const started = new Set(fresh.filter(({ beginsIncident }) => beginsIncident).map(({ uid }) => uid));
  const grown = [...growth.values()].filter(({ uid, alerts }) => alerts > 1 || !started.has(uid));
  const { counts, acknowledged } = await growIncidents(tx, grown);
  if (acknowledged.size > 0)
    await coverAlerts(
      tx,
      fresh.flatMap(({ finding: { tenantId, timestamp }, uid, incidentUid }) =>
        incidentUid !== null && acknowledged.has(incidentUid)
          ? [{ tenantId, timestamp, uid, incidentUid }]
          : [],
      ),
    );
  return fresh.map(({ finding, uid, incidentUid }) => {
    if (!incidentUid) return { finding, uid };
    const number = (counts.get(incidentUid) ?? 0) + 1;
    counts.set(incidentUid, number);
    return { finding, uid, incident: { uid: incidentUid, number } };
  });
}

function grow(
  before: IncidentGrowth | undefined,
  finding: Finding,
  uid: string,
  isResolved: boolean,
): IncidentGrowth {
  const { tenantId, chainUid = null, name, message, contractId, txHash, timestamp } = finding;
  const numericSeverity = severityOf[finding.severity];
  const headline =
    before && before.numericSeverity >= numericSeverity ? before : { name, message, numericSeverity };
  return {
    tenantId,
    uid,
    chainUid: before?.chainUid ?? chainUid,
    name: headline.name,
    message: headline.message,
    numericSeverity: headline.numericSeverity,
    alerts: (before?.alerts ?? 0) + 1,
    openAlerts: (before?.openAlerts ?? 0) + (isResolved ? 0 : 1),
    contractIds: [...new Set([...(before?.contractIds ?? []), contractId])],
    txHashes: [...new Set([...(before?.txHashes ?? []), ...(txHash ? [txHash] : [])])],
    firstAt: Math.min(before?.firstAt ?? timestamp, timestamp),
    lastAt: Math.max(before?.lastAt ?? timestamp, timestamp),
  };
}

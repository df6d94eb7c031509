import { isUuid } from '../../lib/uid.ts';
import { Problem } from '../../model/errors.ts';
import { resolveAlerts } from '../../store/alerts/alertRecords.ts';
import { belongsTo, findIncident, type IncidentKeyRow } from '../../store/alerts/incidentTable.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

export async function readIncident(call: Call, uid: string, lock = false): Promise<IncidentKeyRow> {
  const incident = isUuid(uid) ? await findIncident(call.db, call.scope, uid, lock) : undefined;
  if (!incident) throw new Problem('not-found', 'There is no such incident.');
  return incident;
}

/** Resolves or reopens all alerts of an incident. */
export async function changeIncident(
  call: Call,
  uid: string,
  status: 'UNRESOLVED' | 'RESOLVED',
): Promise<IncidentKeyRow> {
  const before = await readIncident(call, uid, true);
  if (before.status === 'RETRACTED')
    throw new Problem(
      'illegal-transition',
      'The incident is retracted: no block of its alerts is part of the chain any more.',
    );
  await resolveAlerts(call.db, belongsTo(before), status === 'RESOLVED', call.now);
  const after = await readIncident(call, uid);
  await audit(call, 'incident', 'update', { id: null, tenantId: before.tenantId }, before, after, { uid });
  return after;
}

import { isUuid } from '../../lib/uid.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { resolveAlerts } from '../../store/alerts/alertRecords.ts';
import {
  assignIncident,
  type dispositions,
  findIncident,
  type IncidentKeyRow,
} from '../../store/alerts/incidentTable.ts';
import { type IncidentJudgement, judgeIncident } from '../../store/alerts/judgements.ts';
import { writeLoneIncidents } from '../../store/alerts/loneIncidents.ts';
import { belongsTo } from '../../store/search/documents/belongsTo.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { checkAssignee } from './checkAssignee.ts';

export async function readIncident(call: Call, uid: string, lock = false): Promise<IncidentKeyRow> {
  const incident = isUuid(uid) ? await findIncident(call.db, call.scope, uid, lock) : undefined;
  if (!incident) throw new Problem('not-found', 'There is no such incident.');
  return incident;
}

type IncidentChange = {
  status?: 'UNRESOLVED' | 'RESOLVED';
  assigneeId?: number | null;
  disposition?: (typeof dispositions)[number] | null;
  dispositionReason?: string | null;
};

/** Resolves or reopens all alerts of an incident, gives it an owner, or says what it turned out to be. */
export async function changeIncident(
  call: Call,
  uid: string,
  change: IncidentChange,
): Promise<IncidentKeyRow> {
  const { status, assigneeId } = change;
  const before = await readIncident(call, uid, true);
  if (before.status === 'RETRACTED')
    throw new Problem(
      'illegal-transition',
      'The incident is retracted: no block of its alerts is part of the chain any more.',
    );
  if (typeof assigneeId === 'number') await checkAssignee(call.db, before.tenantId, assigneeId);
  const judgement = toJudgement(before, change);
  if (assigneeId !== undefined || judgement) await writeLoneIncidents(call.db, belongsTo(before));
  if (status !== undefined) await resolveAlerts(call.db, belongsTo(before), status === 'RESOLVED', call.now);
  if (assigneeId !== undefined) await assignIncident(call.db, before, assigneeId, call.now);
  if (judgement) await judgeIncident(call.db, before, judgement, call.now);
  const after = await readIncident(call, uid);
  await audit(call, 'incident', 'update', { id: null, tenantId: before.tenantId }, before, after, { uid });
  return after;
}

/** Undefined when neither member is given. A reason without a disposition says nothing. */
function toJudgement(
  before: IncidentKeyRow,
  { disposition: given, dispositionReason }: IncidentChange,
): IncidentJudgement | undefined {
  if (given === undefined && dispositionReason === undefined) return undefined;
  const disposition = given === undefined ? (before.disposition as string | null) : given;
  if (disposition === null && dispositionReason)
    throw unprocessable('/dispositionReason', 'unused', 'needs a disposition.');
  const kept = given === undefined || given === before.disposition ? before.dispositionReason : null;
  const reason = dispositionReason === undefined ? (kept as string | null) : dispositionReason;
  return { disposition, reason: disposition === null ? null : reason };
}

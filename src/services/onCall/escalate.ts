import { detectors } from '../../detectors/detectors.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { findAuthor } from '../../store/alerts/comments.ts';
import { findWorstOpenAlert, type IncidentKeyRow } from '../../store/alerts/incidentTable.ts';
import { type EscalationView, findEscalations, startEscalation } from '../../store/onCall/escalations.ts';
import { lockRecords } from '../../store/records/records.ts';
import { escalationChainTable } from '../../store/tables/escalationChainTable.ts';
import { readIncident } from '../alerts/changeIncident.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

/** Runs a chain for an incident that waits for an answer. */
export async function escalateIncident(
  call: Call,
  uid: string,
  escalationChainId: number,
): Promise<EscalationView[]> {
  const incident = await readIncident(call, uid, true);
  refuseAnswered(incident);
  const { tenantId } = incident;
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const chains = await lockRecords(call.db, escalationChainTable, scope, [escalationChainId], 'read');
  if (!chains.has(escalationChainId))
    throw unprocessable(
      '/escalationChainId',
      'unknown-reference',
      'There is no escalation chain with this id.',
    );
  const alert = await findWorstOpenAlert(call.db, incident);
  if (!alert) throw new Problem('illegal-transition', 'The incident has no open alert.');
  const startedBy = await findAuthor(call.db, call.principal.tokenId);
  const extra = {
    incident: { uid: incident.uid, number: incident.alerts },
    ...nextStepOf(alert.detectorSchemaName),
  };
  const start = {
    tenantId,
    incidentUid: incident.uid,
    alertUid: alert.uid,
    escalationChainId,
    startedBy,
    extra,
  };
  if (!(await startEscalation(call.db, start, call.now)))
    throw new Problem(
      'conflict',
      'The chain already runs for this incident, and goes on until someone answers.',
    );
  await audit(call, 'incident', 'escalate', { id: null, tenantId }, undefined, undefined, {
    uid: incident.uid,
    escalationChainId,
  });
  return findEscalations(call.db, { tenantId, incidentUid: incident.uid });
}

/** As the kind of the detector knows it. */
function nextStepOf(detectorSchemaName: string | null): { nextStep?: string } {
  const nextStep = detectors.get(detectorSchemaName ?? '')?.nextStep;
  return nextStep === undefined ? {} : { nextStep };
}

function refuseAnswered({ status, acknowledged, acknowledgedBy }: IncidentKeyRow): void {
  if (status !== 'UNRESOLVED')
    throw new Problem(
      'illegal-transition',
      `The incident is ${String(status).toLowerCase()}: no one is called for it.`,
    );
  if (acknowledged === true)
    throw new Problem(
      'illegal-transition',
      `${String(acknowledgedBy)} has acknowledged the incident, which would end the chain at once: take that back first.`,
    );
}

/** The chains that ran for an incident, step by step. */
export async function readEscalations(call: Call, uid: string): Promise<EscalationView[]> {
  const { tenantId, uid: incidentUid } = await readIncident(call, uid);
  return findEscalations(call.db, { tenantId, incidentUid });
}

import { uidTime } from '../../lib/uid.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import {
  type Acknowledgement,
  acknowledgeAlerts,
  acknowledgeIncidentRow,
} from '../../store/alerts/acknowledge.ts';
import { type AlertKey, findAlert, hasKey } from '../../store/alerts/alertRecords.ts';
import { findAuthor, insertComment } from '../../store/alerts/comments.ts';
import type { IncidentKeyRow } from '../../store/alerts/incidentTable.ts';
import { writeLoneIncidents } from '../../store/alerts/loneIncidents.ts';
import type { Db } from '../../store/db/db.ts';
import type { Row } from '../../store/records/records.ts';
import { belongsTo } from '../../store/search/documents/belongsTo.ts';
import { ownTenantsScope } from '../../store/search/documents/documentScopes.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findOwnAlert, keyOf } from './changeAlert.ts';
import { readIncident } from './changeIncident.ts';

export type AcknowledgeInput = { until?: number | null; note?: string };

const maxSnoozeMs = 366 * 86_400_000;

/** Acknowledges an alert, or takes that back without `input`. */
export async function acknowledgeAlert(
  call: Call,
  uid: string,
  names: readonly string[],
  input: AcknowledgeInput | undefined,
): Promise<Row> {
  const before = await findOwnAlert(call, uid, names, { use: 'change it', lock: true });
  refuseRetracted('alert', before.status);
  const key = keyOf(before);
  const acknowledgement = input && (await toAcknowledgement(call, input));
  await acknowledgeAlerts(call.db, hasKey(key), acknowledgement, call.now);
  if (acknowledgement) await addNote(call.db, key, acknowledgement, input?.note);
  const after = await findAlert(call.db, ownTenantsScope(call.scope), uid, names);
  if (!after) throw new Error(`The alert ${uid} is gone although it is locked.`);
  await record(call, 'alert', { uid, tenantId: key.tenantId }, before, after, input);
  return after;
}

/**
 * The same for an incident and its alerts. Alerts that come later are covered too, until one is worse than all before: then the
 * incident needs someone again.
 */
export async function acknowledgeIncident(
  call: Call,
  uid: string,
  input: AcknowledgeInput | undefined,
): Promise<IncidentKeyRow> {
  const before = await readIncident(call, uid, true);
  refuseRetracted('incident', before.status);
  const acknowledgement = input && (await toAcknowledgement(call, input));
  await applyToIncident(call.db, before, acknowledgement, call.now);
  if (acknowledgement) await addNote(call.db, firstAlertOf(before), acknowledgement, input?.note);
  const after = await readIncident(call, uid);
  await record(call, 'incident', before, before, after, input);
  return after;
}

/** By a token or a link; the caller has checked the right to do so, and has locked the incident. */
export async function applyToIncident(
  tx: Db,
  incident: IncidentKeyRow,
  acknowledgement: Acknowledgement | undefined,
  now: number,
): Promise<void> {
  await writeLoneIncidents(tx, belongsTo(incident));
  await acknowledgeIncidentRow(tx, incident, acknowledgement, now);
  await acknowledgeAlerts(tx, belongsTo(incident), acknowledgement, now);
}

export function refuseRetracted(what: 'alert' | 'incident', status: unknown): void {
  if (status === 'RETRACTED')
    throw new Problem('illegal-transition', `The ${what} is retracted: it did not happen after all.`);
}

async function toAcknowledgement(call: Call, { until = null }: AcknowledgeInput): Promise<Acknowledgement> {
  if (until !== null && (until <= call.now || until > call.now + maxSnoozeMs))
    throw unprocessable('/until', 'range', 'must be in the future, by at most 366 days.');
  const { userId, tokenId } = call.principal;
  return { at: call.now, by: await findAuthor(call.db, tokenId), byId: userId, until };
}

/** An incident has the uid of the alert that began it, which keeps what people write about it. */
function firstAlertOf({ tenantId, uid }: IncidentKeyRow): AlertKey {
  return { tenantId, uid, timestamp: uidTime(uid) ?? 0 };
}

async function addNote(
  tx: Db,
  key: AlertKey,
  { at, by, byId }: Acknowledgement,
  note: string | undefined,
): Promise<void> {
  if (note !== undefined)
    await insertComment(tx, key, { authorId: byId, author: by, text: note, createdAt: at });
}

async function record(
  call: Call,
  kind: 'alert' | 'incident',
  { uid, tenantId }: { uid: string; tenantId: number },
  before: Row,
  after: Row,
  input: AcknowledgeInput | undefined,
): Promise<void> {
  const verb = input ? 'acknowledge' : 'unacknowledge';
  const note = input?.note === undefined ? {} : { note: input.note };
  await audit(call, kind, verb, { id: null, tenantId }, before, after, { uid, ...note });
}

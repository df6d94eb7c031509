import { createHash } from 'node:crypto';
import { Problem } from '../../model/errors.ts';
import { haltActions } from '../../store/actions/cancelIntents.ts';
import type { Acknowledgement } from '../../store/alerts/acknowledge.ts';
import { acknowledgeAlerts } from '../../store/alerts/acknowledge.ts';
import { findAlert, hasKey, resolveAlerts } from '../../store/alerts/alertRecords.ts';
import { assignIncident, findIncident } from '../../store/alerts/incidentTable.ts';
import { findLinkReceiver, markLinkUsed } from '../../store/alerts/linkUses.ts';
import { findPeople, type Person } from '../../store/onCall/people.ts';
import { appendAudit } from '../../store/records/audit.ts';
import { insertRecord, type Row } from '../../store/records/records.ts';
import { belongsTo } from '../../store/search/documents/belongsTo.ts';
import { ownTenantsScope } from '../../store/search/documents/documentScopes.ts';
import { silenceTable } from '../../store/tables/silenceTable.ts';
import type { Call } from '../call.ts';
import { checkQuery } from '../destinations/prepareSilence.ts';
import { checkPlanLimit } from '../records/checkPlanLimit.ts';
import { applyToIncident, refuseRetracted } from './acknowledge.ts';
import { keyOf } from './changeAlert.ts';
import { type ActionLink, readLinkCode } from './linkCode.ts';

/** Effect of a link, as its page states it. */
export type LinkView = Pick<ActionLink, 'action' | 'subject' | 'uid' | 'expiresAt'> & {
  /** The destination that it was sent to. */
  sentTo: string;
  tenant: string;
  severity: string;
  name: string;
  message: string;
  status: string;
  alerts: number;
};

const names = [
  'uid',
  'tenantId',
  'contractId',
  'timestamp',
  'severity',
  'name',
  'message',
  'status',
  'acknowledged',
];

/** A wrong, expired or used link, and one to a destination or a user that is gone, are answered alike. */
const gone = () => new Problem('not-found', 'There is no such link, or it has expired or was used already.');

/** Says what a link does; nothing changes. */
export async function showLink(call: Call, code: string): Promise<LinkView> {
  const { view } = await openLink(call, code, false);
  return view;
}

/** Does what a link says, once; its use is stored with the change and the audit entry. */
export async function useLink(call: Call, code: string): Promise<LinkView> {
  const { link, view } = await openLink(call, code, true);
  const used = { tenantId: link.tenantId, hash: hashOf(code), usedAt: call.now, expiresAt: link.expiresAt };
  if (!(await markLinkUsed(call.db, used))) throw gone();
  refuseRetracted(link.subject, view.status);
  const user = await findLinkUser(call, link);
  const by: Acknowledgement = {
    at: call.now,
    by: `${user?.name ?? view.sentTo} (link)`,
    byId: user?.id ?? null,
    until: null,
  };
  const after = await act(call, link, by);
  await appendAudit(call.db, call.services.keyring.audit, {
    at: call.now,
    requestId: call.requestId,
    tenantId: link.tenantId,
    actor: { tokenId: null, tokenKind: 'SYSTEM', userId: user?.id ?? null, address: call.address },
    action: `${link.subject}.${link.action}`,
    record: { kind: link.subject, id: null },
    changes: { uid: link.uid, link: { destinationId: link.destinationId, sentTo: view.sentTo } },
  });
  return { ...view, status: String(after.status) };
}

async function openLink(
  call: Call,
  code: string,
  lock: boolean,
): Promise<{ link: ActionLink; view: LinkView }> {
  const link = await readLinkCode(call.services.keyring.audit, code);
  if (!link || link.expiresAt <= call.now) throw gone();
  const receiver = await findLinkReceiver(call.db, link, hashOf(code));
  const subject = receiver && (await findSubject(call, link, lock));
  if (!receiver || !subject) throw gone();
  const { action, uid, expiresAt } = link;
  const user = await findLinkUser(call, link);
  // The user who was called keeps the message, and must not act with it after leaving.
  if (link.userId !== null && !user) throw gone();
  if (action === 'assign' && !user) throw gone();
  // Being called lets a viewer answer for an alert, not do what the API refuses to viewers.
  if (user?.isViewer && (action === 'silence' || action === 'halt'))
    throw new Problem(
      'forbidden',
      `${user.name} may only read, so this link does nothing. Acknowledge, and ask a manager of the tenant.`,
    );
  return {
    link,
    view: {
      action,
      subject: link.subject,
      uid,
      expiresAt,
      ...receiver,
      ...(user ? { sentTo: user.name } : {}),
      severity: String(subject.severity),
      name: String(subject.name),
      message: String(subject.message),
      status: String(subject.status),
      alerts: typeof subject.alerts === 'number' ? subject.alerts : 1,
    },
  };
}

function findSubject(
  call: Call,
  { subject, tenantId, uid }: ActionLink,
  lock: boolean,
): Promise<Row | undefined> {
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  return subject === 'incident'
    ? findIncident(call.db, scope, uid, lock)
    : findAlert(call.db, ownTenantsScope(scope), uid, names, lock);
}

async function findLinkUser({ db }: Call, { tenantId, userId }: ActionLink): Promise<Person | undefined> {
  if (userId === null) return undefined;
  const user = (await findPeople(db, tenantId, [userId])).get(userId);
  return user?.isActive ? user : undefined;
}

/** The subject is locked. */
async function act(call: Call, link: ActionLink, by: Acknowledgement): Promise<Row> {
  const { db, now } = call;
  const { tenantId, uid, action } = link;
  if (action === 'halt') await haltActions(db, tenantId, now);
  else if (action === 'silence') await silenceSubject(call, link, by);
  else if (link.subject === 'incident') {
    const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
    const incident = await findIncident(db, scope, uid);
    if (!incident) throw gone();
    if (action === 'resolve') await resolveAlerts(db, belongsTo(incident), true, now);
    else await applyToIncident(db, incident, by, now);
    if (action === 'assign') await assignIncident(db, incident, by.byId, now);
  } else {
    const alert = await findSubject(call, link, false);
    if (!alert) throw gone();
    const condition = hasKey(keyOf(alert));
    if (action === 'resolve') await resolveAlerts(db, condition, true, now);
    else await acknowledgeAlerts(db, condition, by, now);
  }
  call.touched?.add(tenantId);
  const after = await findSubject(call, link, false);
  if (!after) throw new Error(`The ${link.subject} ${uid} is gone although it is locked.`);
  return after;
}

const silenceMs = 3_600_000;

/** Silences what raised the alert on its contract for an hour. An incident has the uid of the alert that began it. */
async function silenceSubject(
  call: Call,
  { tenantId, uid }: ActionLink,
  { by, byId }: Acknowledgement,
): Promise<void> {
  const { db, now } = call;
  const scope = ownTenantsScope({ all: false, tenantIds: [tenantId], organisationIds: [] });
  const alert = await findAlert(db, scope, uid, [...names, 'detectorId', 'triggerId', 'actionId']);
  if (!alert) throw gone();
  const source = (['detectorId', 'triggerId', 'actionId'] as const).find((member) => alert[member] != null);
  if (!source)
    throw new Problem(
      'illegal-transition',
      'Nothing is known that raised the alert: make a silence by hand.',
    );
  const query = `${source}:${Number(alert[source])} AND contractId:${Number(alert.contractId)}`;
  await checkPlanLimit(call, tenantId, 'maxSilences');
  await insertRecord(db, silenceTable, {
    tenantId,
    createdAt: now,
    updatedAt: now,
    query,
    startsAt: now,
    endsAt: now + silenceMs,
    includeCritical: false,
    reason: 'Silenced for an hour by the link of a notification.',
    authorId: byId,
    author: by,
    cost: Math.ceil(checkQuery(query, now)),
  });
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

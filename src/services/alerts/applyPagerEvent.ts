import { destinationKinds } from '../../destinations/destinationKinds.ts';
import type { PagerEvent } from '../../destinations/readPagerDutyEvent.ts';
import { Problem } from '../../model/errors.ts';
import { resolveAlerts } from '../../store/alerts/alertRecords.ts';
import { findIncident, type IncidentKeyRow } from '../../store/alerts/incidentTable.ts';
import {
  advancePager,
  findPagerAcknowledgement,
  knownToPager,
  markPagerEvent,
  setPagerAcknowledgement,
} from '../../store/destinations/pagerEvents.ts';
import { findTargets, openTarget } from '../../store/destinations/targets.ts';
import { appendAudit } from '../../store/records/audit.ts';
import { belongsTo } from '../../store/search/documents/belongsTo.ts';
import type { Call } from '../call.ts';
import { applyToIncident } from './acknowledge.ts';

export const pagerOutcomes = ['applied', 'ignored', 'stale', 'replayed', 'overtaken', 'unchanged'] as const;
type PagerOutcome = (typeof pagerOutcomes)[number];

/** An event that is older, or this far in the future, is refused: its id may be forgotten by now. */
const maxAgeMs = 24 * 3_600_000;
const maxAheadMs = 5 * 60_000;

/** A wrong signature and a destination that is missing, of another kind or without a secret are answered alike. */
const gone = () =>
  new Problem('not-found', 'There is no such destination, or the signature is not one of it.');

/**
 * Does in Vigil what a person did at the pager. Events come late, twice and in any order: each is applied once, and one that is older
 * than another about the same incident changes nothing.
 */
export async function applyPagerEvent(
  call: Call,
  id: number,
  { body, signature }: { body: Uint8Array; signature: string | undefined },
): Promise<PagerOutcome> {
  const [sealed] = await findTargets(call.db, [id]);
  const callback = sealed && destinationKinds[sealed.type].callback;
  if (sealed?.status !== 'ACTIVE' || !callback || !signature) throw gone();
  const { settings } = await openTarget(call.services.keyring, sealed, call.now);
  if (!callback.isSigned(settings, signature, body)) throw gone();
  const event = callback.read(body);
  if (!event) return 'ignored';
  if (event.occurredAt < call.now - maxAgeMs || event.occurredAt > call.now + maxAheadMs) return 'stale';
  const pager = { tenantId: sealed.tenantId, destinationId: id };
  if (!(await markPagerEvent(call.db, pager, event.id, call.now))) return 'replayed';
  const scope = { all: false, tenantIds: [pager.tenantId], organisationIds: [] };
  const incident = await findIncident(call.db, scope, event.incidentUid, true);
  if (!incident) return 'ignored';
  if (!(await advancePager(call.db, pager, event))) return 'overtaken';
  if (!(await apply(call, pager, incident, event))) return 'unchanged';
  call.touched?.add(pager.tenantId);
  await appendAudit(call.db, call.services.keyring.audit, {
    at: call.now,
    requestId: call.requestId,
    tenantId: pager.tenantId,
    actor: { tokenId: null, tokenKind: 'SYSTEM', userId: null, address: call.address },
    action: `incident.${verbs[event.change]}`,
    record: { kind: 'incident', id: null },
    changes: { uid: event.incidentUid, pager: { destinationId: id, by: event.by, eventId: event.id } },
  });
  return 'applied';
}

const verbs = {
  acknowledged: 'acknowledge',
  unacknowledged: 'unacknowledge',
  resolved: 'resolve',
  reopened: 'update',
} as const;

/** False where Vigil says the same already. The incident is locked. */
async function apply(
  { db, now }: Call,
  pager: { tenantId: number; destinationId: number },
  incident: IncidentKeyRow,
  { change, by, occurredAt }: PagerEvent,
): Promise<boolean> {
  const { status, acknowledged, acknowledgedAt, uid } = incident;
  if (status === 'RETRACTED') return false;
  switch (change) {
    case 'acknowledged': {
      if (status !== 'UNRESOLVED' || acknowledged === true) return false;
      const name = by ? `${by} (pager)` : 'Someone at the pager';
      await applyToIncident(db, incident, { at: now, by: name, byId: null, until: null }, now);
      await setPagerAcknowledgement(db, pager, uid, now);
      return true;
    }
    case 'unacknowledged': {
      // An acknowledgement of Vigil itself stays.
      const own = await findPagerAcknowledgement(db, pager, uid);
      if (own === null || own !== acknowledgedAt) return false;
      await applyToIncident(db, incident, undefined, now);
      await setPagerAcknowledgement(db, pager, uid, null);
      return true;
    }
    case 'resolved': {
      if (status !== 'UNRESOLVED') return false;
      const known = await knownToPager(db, incident, pager.destinationId, occurredAt);
      return (await resolveAlerts(db, known, true, now)) > 0;
    }
    case 'reopened':
      return status === 'RESOLVED' && (await resolveAlerts(db, belongsTo(incident), false, now)) > 0;
  }
}

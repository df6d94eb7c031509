import { type RaisedAlert, severityOf } from '../model/alert.ts';
import { type AlertLinks, raisedType } from '../model/notification.ts';
import type { Db } from '../store/db.ts';
import { type AlertDocument, findAlertDocuments } from '../store/destinations/alertDocuments.ts';
import { insertDeliveries, type NewMessage } from '../store/destinations/insertDeliveries.ts';
import { findRecipients, type Recipient } from '../store/destinations/recipients.ts';
import { createAlertFilters } from './alertFilters.ts';

/** Alerts with this tag are only looked at by whoever tries a detector out. */
const shadow = 'shadow';

/** Writes the deliveries of new alerts, in their own transaction. */
export function createFollowAlerts({ links, now }: { links: AlertLinks; now: () => number }) {
  return async (tx: Db, raised: readonly RaisedAlert[]): Promise<void> => {
    const told = raised.filter(
      ({ finding }) => !finding.suppressed && !finding.backfilled && !finding.tags.includes(shadow),
    );
    if (told.length === 0) return;
    const recipients = await findRecipients(tx, told.map(toSource));
    const severe = recipients.filter(({ index, minSeverity }) => {
      return minSeverity === null || severityOf[told[index]!.finding.severity] >= severityOf[minSeverity];
    });
    if (severe.length === 0) return;
    const at = now();
    const documents = await readDocuments(tx, told, severe);
    const passes = createAlertFilters(at);
    const wanted: Recipient[] = [];
    for (const recipient of severe) {
      const { index, query } = recipient;
      if (query === null || (await passes(query, documents.get(told[index]!.uid)!))) wanted.push(recipient);
    }
    await insertDeliveries(tx, toMessages(told, documents, wanted, links), at);
  };
}

function toSource({ finding }: RaisedAlert) {
  const { tenantId, kind, meta } = finding;
  const triggerAlertId = typeof meta.triggerAlertId === 'number' ? meta.triggerAlertId : undefined;
  const ids = { detector: finding.detectorId, trigger: triggerAlertId, action: finding.actionId };
  return { tenantId, kind, sourceId: ids[kind] ?? null };
}

async function readDocuments(
  tx: Db,
  told: readonly RaisedAlert[],
  recipients: readonly Recipient[],
): Promise<Map<string, AlertDocument>> {
  const needed = new Set(recipients.map(({ index }) => index));
  const keys = Array.from(needed, (index) => {
    const { finding, uid } = told[index]!;
    return { tenantId: finding.tenantId, timestamp: finding.timestamp, uid };
  });
  return new Map((await findAlertDocuments(tx, keys)).map((document) => [document.uid, document]));
}

function toMessages(
  told: readonly RaisedAlert[],
  documents: ReadonlyMap<string, AlertDocument>,
  recipients: readonly Recipient[],
  links: AlertLinks,
): NewMessage[] {
  const byAlert = new Map<number, Set<number>>();
  for (const { index, destinationId } of recipients)
    byAlert.set(index, (byAlert.get(index) ?? new Set()).add(destinationId));
  return Array.from(byAlert, ([index, destinationIds]) => {
    const { finding, uid } = told[index]!;
    const document = documents.get(uid)!;
    const { tenantId, timestamp, contractId } = finding;
    return {
      tenantId,
      type: raisedType(finding),
      data: { ...document, links: links(document) },
      destinationIds: [...destinationIds],
      alert: { uid, timestamp, contractId },
    };
  });
}

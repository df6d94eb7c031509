import { destinationKinds, isGrouped } from '../destinations/destinationKinds.ts';
import { yieldToEventLoop } from '../lib/eventLoop.ts';
import { groupBy } from '../lib/groupBy.ts';
import { settleAll } from '../lib/settleAll.ts';
import type { RaisedAlert } from '../model/alert.ts';
import { type AlertLinks, raisedType } from '../model/notification.ts';
import type { Db } from '../store/db/db.ts';
import { insertDecisions } from '../store/destinations/alertDecisions.ts';
import { type AlertDocument, findAlertDocuments } from '../store/destinations/findAlertDocuments.ts';
import { retractDeliveries } from '../store/destinations/followUps.ts';
import { findFollowedChains, setHeldBlocks } from '../store/destinations/heldDeliveries.ts';
import { insertDeliveries, type NewMessage } from '../store/destinations/insertDeliveries.ts';
import {
  type AlertSource,
  type Recipient as BoundRecipient,
  findRecipients,
} from '../store/destinations/recipients.ts';
import { findDecisionRules } from '../store/destinations/silences.ts';
import { createAlertFilters } from './createAlertFilters.ts';
import { decideNotification, withheldByItself } from './decideNotification.ts';
import { holdRepeats } from './holdRepeats.ts';
import type { SilenceIndex } from './silences/createSilenceIndex.ts';
import { createSilences } from './silences/createSilences.ts';

/** Decides who is notified of new alerts and inserts the deliveries, in the alerts' own transaction. */
export function createNotifyOnAlerts({ links, now }: { links: AlertLinks; now: () => number }) {
  const findSilences = createSilences();
  return async (tx: Db, raised: readonly RaisedAlert[]) => {
    const judged = raised.filter(({ finding }) => withheldByItself(finding) === null);
    if (judged.length === 0) return undefined;
    const tenantIds = [...new Set(judged.map(({ finding }) => finding.tenantId))];
    // Sent together, so that silences cost no round trip.
    const [recipients, rules] = await settleAll([findByAlert(tx, judged), findDecisionRules(tx, tenantIds)]);
    if (recipients.length === 0 && rules.size === 0) return undefined;
    return async () => {
      const at = now();
      await deliver(tx, judged, { recipients, silences: await findSilences(tx, rules, at), links, at });
    };
  };
}

type Found = {
  recipients: readonly Recipient[];
  silences: ReadonlyMap<number, SilenceIndex>;
  links: AlertLinks;
  at: number;
};

async function deliver(
  tx: Db,
  judged: readonly RaisedAlert[],
  { recipients, silences, links, at }: Found,
): Promise<void> {
  const ways = groupBy(recipients, ({ alert }) => alert);
  const alerts = judged.filter((alert) => ways.has(alert) || silences.has(alert.finding.tenantId));
  if (alerts.length === 0) return;
  const documents = await readDocuments(tx, alerts);
  const { passes, subjectOf } = createAlertFilters(at);
  const selected: Recipient[] = [];
  const withheld: Parameters<typeof insertDecisions>[1][number][] = [];
  for (const alert of alerts) {
    const { tenantId } = alert.finding;
    const document = documentOf(documents, alert);
    const { code, silenceIds, recipients } = await decideNotification(alert.finding, {
      recipients: ways.get(alert) ?? [],
      silences: silences.get(tenantId)?.candidatesFor(subjectOf(document)) ?? [],
      now: at,
      passes: (query) => passes(query, document),
      isFound: (silence) => silence.matcherAt(at)(subjectOf(document), yieldToEventLoop),
    });
    selected.push(...recipients);
    if (code === 'silenced') withheld.push({ tenantId, uid: alert.uid, decision: { code, silenceIds } });
  }
  await insertDecisions(tx, withheld, at);
  if (selected.length === 0) return;
  const dueAt = await holdRepeats(tx, selected, at);
  const followed = await findFollowed(tx, selected);
  await insertDeliveries(tx, toMessages(documents, selected, links, { dueAt, followed }), at);
}

/** The chains on whose blocks some of them wait. */
async function findFollowed(tx: Db, recipients: readonly Recipient[]): Promise<ReadonlySet<string>> {
  const uids = recipients.flatMap(({ afterConfirmations, alert }) =>
    afterConfirmations && alert.finding.chainUid ? [alert.finding.chainUid] : [],
  );
  return uids.length > 0 ? findFollowedChains(tx, [...new Set(uids)]) : new Set();
}

/** Tells deliveries that wait for confirmations which block has their alert, once one has. */
export function createHoldOnMined() {
  return async (tx: Db, mined: readonly RaisedAlert[]) => {
    const alerts = mined.flatMap(({ uid, finding: { tenantId, blockNumber } }) =>
      blockNumber == null ? [] : [{ tenantId, uid, blockNumber }],
    );
    return alerts.length > 0 ? () => setHeldBlocks(tx, alerts) : undefined;
  };
}

/** Cancels unsent deliveries of retracted alerts and notifies those who received one, in the transaction of the retraction. */
export function createNotifyOnRetractions({ now }: { now: () => number }) {
  return async (
    tx: Db,
    retracted: readonly { tenantId: number; uid: string; reason?: string }[],
  ): Promise<void> => {
    if (retracted.length > 0) await retractDeliveries(tx, retracted, now());
  };
}

type Recipient = Omit<BoundRecipient, 'index'> & { alert: RaisedAlert };
type Documents = ReadonlyMap<string, AlertDocument>;

function toSource({ finding }: RaisedAlert): AlertSource {
  const { tenantId, projectId, contractId, kind, meta } = finding;
  const triggerAlertId = typeof meta.triggerAlertId === 'number' ? meta.triggerAlertId : undefined;
  const ids = { detector: finding.detectorId, trigger: triggerAlertId, action: finding.actionId };
  return { tenantId, kind, sourceId: ids[kind] ?? null, projectId, contractId };
}

/** Alert by alert; asks once for all alerts of a source, which are often all of them. */
async function findByAlert(tx: Db, alerts: readonly RaisedAlert[]): Promise<Recipient[]> {
  const places = new Map<string, number>();
  const sources: AlertSource[] = [];
  const placed = alerts.map((alert) => {
    const source = toSource(alert);
    const key = Object.values(source).join(' ');
    const index = places.get(key) ?? sources.push(source) - 1;
    places.set(key, index);
    return { alert, place: index };
  });
  const recipients = groupBy(await findRecipients(tx, sources), ({ index }) => index);
  return placed.flatMap(({ alert, place: index }) =>
    (recipients.get(index) ?? []).map(({ index: _index, ...recipient }) => ({ ...recipient, alert })),
  );
}

async function readDocuments(tx: Db, alerts: readonly RaisedAlert[]): Promise<Documents> {
  const keys = alerts.map(({ finding: { tenantId, timestamp }, uid }) => ({
    tenantId,
    timestamp,
    uid,
  }));
  return new Map((await findAlertDocuments(tx, keys)).map((document) => [document.uid, document]));
}

function documentOf(documents: Documents, { uid }: RaisedAlert): AlertDocument {
  const document = documents.get(uid);
  if (!document) throw new Error(`The alert ${uid} cannot be read back.`);
  return document;
}

/** Webhooks get every alert at once, so that nothing looks for what they got of an incident. */
function readByPeople(recipients: readonly Recipient[]): Set<number> {
  return new Set(
    recipients.flatMap(({ type, destinationId }) =>
      isGrouped(destinationKinds[type]) ? [destinationId] : [],
    ),
  );
}

function toMessages(
  documents: Documents,
  recipients: readonly Recipient[],
  links: AlertLinks,
  { dueAt, followed }: { dueAt: (recipient: Recipient) => number | undefined; followed: ReadonlySet<string> },
): NewMessage[] {
  return Array.from(
    groupBy(recipients, ({ alert }) => alert),
    ([alert, alertRecipients]) => {
      const { finding, uid, incident } = alert;
      const document = documentOf(documents, alert);
      const { tenantId } = finding;
      return {
        tenantId,
        type: raisedType(finding),
        data: {
          ...document,
          ...(incident ? { incident } : {}),
          ...(finding.nextStep === undefined ? {} : { nextStep: finding.nextStep }),
          links: links(document),
        },
        destinationIds: alertRecipients.map(({ destinationId }) => destinationId),
        dueAt: new Map(
          alertRecipients.flatMap((recipient) => {
            const due = dueAt(recipient);
            return due === undefined ? [] : [[recipient.destinationId, due]];
          }),
        ),
        incident: incident && { uid: incident.uid, destinationIds: readByPeople(alertRecipients) },
        alertUid: uid,
        held: toHeld(alert, alertRecipients, followed),
      };
    },
  );
}

/** Alerts without a block, and those of a chain that no process follows, are sent at once. */
function toHeld(
  { finding }: RaisedAlert,
  recipients: readonly Recipient[],
  followed: ReadonlySet<string>,
): NewMessage['held'] {
  const { chainUid, blockNumber = null, isPending = false } = finding;
  if (!chainUid || !followed.has(chainUid) || (blockNumber === null && !isPending)) return undefined;
  const confirmations = recipients.flatMap(({ destinationId, afterConfirmations }): [number, number][] =>
    afterConfirmations ? [[destinationId, afterConfirmations]] : [],
  );
  if (confirmations.length === 0) return undefined;
  return { chainUid, block: isPending ? null : blockNumber, confirmations: new Map(confirmations) };
}

import { destinationKinds, isGrouped } from '../destinations/destinationKinds.ts';
import { groupBy } from '../lib/groupBy.ts';
import type { RaisedAlert } from '../model/alert.ts';
import { type AlertLinks, raisedType } from '../model/notification.ts';
import type { NewMessage } from '../store/destinations/insertDeliveries.ts';
import type { Recipient as BoundRecipient } from '../store/destinations/recipients.ts';
import { type Documents, documentOf } from './alertDocuments.ts';
import type { RoutedAlert } from './routes/planGroups.ts';

/** `routed`: by which route, where the tenant has routes on. */
export type AlertRecipient = Omit<BoundRecipient, 'index'> & { alert: RaisedAlert; routed?: RoutedAlert };

/** The messages about new alerts, each for its destinations. */
export function toMessages(
  documents: Documents,
  recipients: readonly AlertRecipient[],
  links: AlertLinks,
  {
    dueAt,
    followed,
  }: { dueAt: (recipient: AlertRecipient) => number | undefined; followed: ReadonlySet<string> },
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

/** Webhooks get every alert at once, so that nothing looks for what they got of an incident. */
function readByPeople(recipients: readonly AlertRecipient[]): Set<number> {
  return new Set(
    recipients.flatMap(({ type, destinationId, routed }) =>
      isGrouped(destinationKinds[type]) && routed?.route.groupBy !== 'NONE' ? [destinationId] : [],
    ),
  );
}

/** Alerts without a block, and those of a chain that no process follows, are sent at once. */
function toHeld(
  { finding }: RaisedAlert,
  recipients: readonly AlertRecipient[],
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

import { destinationKinds } from '../destinations/destinationKinds.ts';
import { severityIn } from '../destinations/texts/readData.ts';
import { groupBy } from '../lib/groupBy.ts';
import { severityOf } from '../model/alert.ts';
import type { EventType, Target } from '../model/notification.ts';
import type { ClaimedDelivery } from '../store/destinations/claimDeliveries.ts';
import type { IncidentMessage } from '../store/destinations/incidentMessages.ts';

/** Content of one attempt. `earlier`: the message about the incident of all of them, which grows where `isEdit`. */
export type Batch = {
  deliveries: readonly [ClaimedDelivery, ...ClaimedDelivery[]];
  earlier?: IncidentMessage & { isNews: boolean; isEdit: boolean };
};

/** Messages that are edited at once at one destination; the others wait for the next turn, since messengers limit edits too. */
const maxEdits = 3;

/**
 * A webhook gets one message, a mail or chat message all that is due. Further alerts of an incident edit its message
 * where the channel can, unless they are worse, because edits call no one.
 */
export function planBatches(
  claimed: readonly ClaimedDelivery[],
  typeOf: (destinationId: number) => Target['type'] | undefined,
  messages: readonly IncidentMessage[],
): { batches: Batch[]; later: ClaimedDelivery[] } {
  const messageOf = new Map(messages.map((message) => [keyOf(message), message]));
  const batches: Batch[] = [];
  const later: ClaimedDelivery[] = [];
  const grouped = claimed.filter(({ isGrouped }) => isGrouped);
  for (const delivery of claimed) if (!delivery.isGrouped) batches.push({ deliveries: [delivery] });
  for (const [destinationId, due] of groupBy(grouped, (delivery) => delivery.destinationId)) {
    const type = typeOf(destinationId);
    const canEdit = type !== undefined && destinationKinds[type].edits === true;
    const news: ClaimedDelivery[] = [];
    let edits = 0;
    for (const [, deliveries] of groupBy(due, ({ incidentUid }) => incidentUid)) {
      const earlier = messageOf.get(keyOf(deliveries[0]));
      if (!canEdit || !earlier || isNews(deliveries, earlier)) news.push(...deliveries);
      else if (++edits > maxEdits) later.push(...deliveries);
      else batches.push({ deliveries, earlier: { ...earlier, isNews: false, isEdit: true } });
    }
    const [first, ...rest] = news.sort((left, right) => left.sequence - right.sequence);
    if (!first) continue;
    const isOne = rest.every(({ incidentUid }) => incidentUid === first.incidentUid);
    const earlier = isOne ? messageOf.get(keyOf(first)) : undefined;
    batches.push({
      deliveries: [first, ...rest],
      ...(earlier ? { earlier: { ...earlier, isNews: isNews(news, earlier), isEdit: false } } : {}),
    });
  }
  return { batches, later };
}

/** True for a further alert, false for the outcome of an alert. */
export function isGrowth(type: EventType): boolean {
  return type === 'alert.detector.raised' || type === 'alert.trigger.raised';
}

function isNews(deliveries: readonly ClaimedDelivery[], { numericSeverity }: IncidentMessage): boolean {
  return deliveries.some(({ type, data }) => {
    const severity = severityIn(data);
    return !isGrowth(type) || severity === undefined || severityOf[severity] > numericSeverity;
  });
}

function keyOf({
  destinationId,
  incidentUid,
}: {
  destinationId: number;
  incidentUid: string | null;
}): string {
  return `${destinationId} ${incidentUid}`;
}

import type { Message } from '../../model/notification.ts';
import { lineAt } from '../texts/readData.ts';

/** A message as CloudEvents 1.0 in the structured JSON format. */
export function toCloudEvent({ uid, type, timestamp, sequence }: Message, tenantId: number, data: unknown) {
  const alertUid = lineAt((data ?? {}) as Record<string, unknown>, 'uid');
  return {
    specversion: '1.0',
    id: uid,
    source: `/vigil/tenant/${tenantId}`,
    type: `vigil.${type}`,
    ...(alertUid ? { subject: alertUid } : {}),
    time: new Date(timestamp).toISOString(),
    datacontenttype: 'application/json',
    // An extension: attributes of a number that may be large are texts.
    sequence: String(sequence),
    data,
  };
}

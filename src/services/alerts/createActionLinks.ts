import type { AuditKeys } from '../../lib/auditKey.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { isUuid } from '../../lib/uid.ts';
import type { AddActionLinks } from '../../model/notification.ts';
import { linkActions, writeLinkCode } from './linkCode.ts';

/** Counted from the message, so that every attempt to send it has the same links. */
const linkTtlMs = 7 * 24 * 3_600_000;

/** Adds links to new alerts by which the reader of a destination acknowledges or resolves them. */
export function createActionLinks(keys: Pick<AuditKeys, 'newest'>, baseUrl: () => string): AddActionLinks {
  return ({ id: destinationId, tenantId }, message) => {
    const { type, data, timestamp } = message;
    const incidentUid = isRecord(data.incident) ? data.incident.uid : undefined;
    const uid = incidentUid ?? data.uid;
    if (!type.endsWith('.raised') || typeof uid !== 'string' || !isUuid(uid) || !isRecord(data.links))
      return message;
    const subject = incidentUid === undefined ? 'alert' : 'incident';
    const common = { tenantId, destinationId, subject, uid, expiresAt: timestamp + linkTtlMs } as const;
    const own = linkActions.map((action) => [
      action,
      `${baseUrl()}/act/${writeLinkCode(keys, { ...common, action })}`,
    ]);
    return { ...message, data: { ...data, links: { ...data.links, ...Object.fromEntries(own) } } };
  };
}

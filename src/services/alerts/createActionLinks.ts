import { destinationKinds } from '../../destinations/destinationKinds.ts';
import type { AuditKeys } from '../../lib/auditKey.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { isUuid } from '../../lib/uid.ts';
import type { AddActionLinks, EventType } from '../../model/notification.ts';
import { linkActions, writeLinkCode } from './linkCode.ts';

/** Counted from the message, so that every attempt to send it has the same links. */
const linkTtlMs = 7 * 24 * 3_600_000;

/** Adds links to new and repeated alerts by which the reader of a destination acts on them. */
export function createActionLinks(keys: Pick<AuditKeys, 'newest'>, baseUrl: () => string): AddActionLinks {
  return ({ id: destinationId, tenantId, userId: owner = null, type: kind }, message) => {
    const { type, data, timestamp } = message;
    const incidentUid = isRecord(data.incident) ? data.incident.uid : undefined;
    const uid = incidentUid ?? data.uid;
    if (destinationKinds[kind].isArchive) return message;
    if (!isNews(type) || typeof uid !== 'string' || !isUuid(uid) || !isRecord(data.links)) return message;
    const subject = incidentUid === undefined ? 'alert' : 'incident';
    const called = isRecord(data.escalation) ? data.escalation.userId : undefined;
    const userId = typeof called === 'number' ? called : owner;
    const common = {
      tenantId,
      destinationId,
      subject,
      uid,
      expiresAt: timestamp + linkTtlMs,
      userId,
    } as const;
    const offered = linkActions.filter((action) => {
      // Only a user can own an incident, and only what is bad enough is worth halting everything.
      if (action === 'assign') return userId !== null && subject === 'incident';
      return action !== 'halt' || isGrave(data.severity);
    });
    const own = offered.map((action) => [
      action,
      `${baseUrl()}/act/${writeLinkCode(keys, { ...common, action })}`,
    ]);
    return { ...message, data: { ...data, links: { ...data.links, ...Object.fromEntries(own) } } };
  };
}

function isGrave(severity: unknown): boolean {
  return severity === 'HIGH' || severity === 'CRITICAL';
}

function isNews(type: EventType): boolean {
  return type.endsWith('.raised') || type === 'alert.repeated';
}

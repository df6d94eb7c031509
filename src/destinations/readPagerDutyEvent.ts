import { createHmac, timingSafeEqual } from 'node:crypto';
import { isRecord } from '../lib/isRecord.ts';
import { isUuid } from '../lib/uid.ts';
import { cleanLine } from './texts/clean.ts';

/** A statement of a pager about an incident. */
export type PagerEvent = {
  id: string;
  occurredAt: number;
  change: 'acknowledged' | 'unacknowledged' | 'resolved' | 'reopened';
  incidentUid: string;
  /** The person who did it, as the pager knows them. */
  by: string;
};

const changes = ['acknowledged', 'unacknowledged', 'resolved', 'reopened'] as const;

/** True if one of the signatures of a webhook (v3) was made with the secret. There are several while a secret is replaced. */
export function isPagerDutySigned(secret: string, signatures: string, body: Uint8Array): boolean {
  const expected = Buffer.from(`v1=${createHmac('sha256', secret).update(body).digest('hex')}`);
  return signatures
    .split(',')
    .slice(0, 10)
    .map((signature) => Buffer.from(signature.trim()))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

/** Reads a webhook (v3); undefined where it is about something else than an incident that Vigil began. */
export function readPagerDutyEvent(body: Uint8Array): PagerEvent | undefined {
  const event = memberOf(parse(body), 'event');
  const { id, event_type: type, occurred_at: time, agent, data } = isRecord(event) ? event : {};
  const change = changes.find((word) => type === `incident.${word}`);
  const key = memberOf(data, 'incident_key');
  const incidentUid = typeof key === 'string' && key.startsWith('vigil-') ? key.slice('vigil-'.length) : '';
  const occurredAt = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (typeof id !== 'string' || id === '' || id.length > 200 || !change) return undefined;
  if (!isUuid(incidentUid) || !Number.isFinite(occurredAt)) return undefined;
  const name = memberOf(agent, 'summary');
  return { id, occurredAt, change, incidentUid, by: cleanLine(typeof name === 'string' ? name : '', 100) };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

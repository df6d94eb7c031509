import { type Platform, type PlatformAnswer, type PlatformRequest, startPlatform } from './startPlatform.ts';
import type { Json } from './startTestApi.ts';

export type PagerDuty = Platform & {
  routingKey: string;
  /** The state of each alert, by its `dedup_key`. */
  alerts: Map<string, 'triggered' | 'acknowledged' | 'resolved'>;
};

/** A stand-in for the Events API v2 of PagerDuty: it refuses what its documentation refuses and keeps the state of alerts. */
export async function startPagerDuty(): Promise<PagerDuty> {
  const routingKey = 'R'.repeat(32);
  const alerts: PagerDuty['alerts'] = new Map();
  const judge = (request: PlatformRequest): PlatformAnswer => {
    const errors = faultsOf(request, routingKey);
    if (errors.length > 0)
      return { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors } };
    const { event_action: action, dedup_key: key } = request.body;
    const state = alerts.get(key);
    const isOpen = state === 'triggered' || state === 'acknowledged';
    if (action === 'trigger' && !isOpen) alerts.set(key, 'triggered');
    if (action === 'acknowledge' && isOpen) alerts.set(key, 'acknowledged');
    if (action === 'resolve' && isOpen) alerts.set(key, 'resolved');
    return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: key } };
  };
  return { ...(await startPlatform(judge)), routingKey, alerts };
}

const known = [
  'routing_key',
  'event_action',
  'dedup_key',
  'payload',
  'images',
  'links',
  'client',
  'client_url',
];
const isText = (value: unknown, max: number) =>
  typeof value === 'string' && value.length > 0 && value.length <= max;
const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

function faultsOf({ method, path, text, body, headers }: PlatformRequest, routingKey: string): string[] {
  if (method !== 'POST' || path !== '/v2/enqueue') return ['not found'];
  if (!headers['content-type']?.startsWith('application/json')) return ['content type'];
  if (Buffer.byteLength(text) > 512 * 1024) return ['larger than 512 KB'];
  if (typeof body !== 'object' || body === null) return ['not JSON'];
  const { event_action: action, dedup_key: key, payload, links } = body;
  return [
    ...Object.keys(body).filter((name) => !known.includes(name)),
    ...(body.routing_key === routingKey ? [] : [`'routing_key' is invalid: ${body.routing_key}`]),
    ...(['trigger', 'acknowledge', 'resolve'].includes(action) ? [] : ["'event_action' is invalid"]),
    ...((key === undefined && action === 'trigger') || isText(key, 255) ? [] : ["'dedup_key' is invalid"]),
    ...(action === 'trigger' ? payloadFaults(payload) : []),
    ...(links === undefined || links.every((link: Json) => isText(link.href, 4000))
      ? []
      : ["'links' are invalid"]),
  ];
}

function payloadFaults(payload: Json): string[] {
  if (typeof payload !== 'object' || payload === null) return ["'payload' is missing"];
  return [
    ...(isText(payload.summary, 1024) ? [] : ["'payload.summary' is missing or too long"]),
    ...(isText(payload.source, 1000) ? [] : ["'payload.source' is missing"]),
    ...(['critical', 'error', 'warning', 'info'].includes(payload.severity)
      ? []
      : ["'payload.severity' is invalid"]),
    ...(payload.timestamp === undefined || isTime(payload.timestamp)
      ? []
      : ["'payload.timestamp' is invalid"]),
  ];
}

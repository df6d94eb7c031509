import { createHmac } from 'node:crypto';
import { sealedText } from '../lib/secret.ts';
import type { Message, Target } from '../model/notification.ts';
import { fillBody } from './formats/fillBody.ts';
import { toCloudEvent } from './formats/toCloudEvent.ts';
import { toOcsf } from './formats/toOcsf.ts';

/** Receivers commonly accept no more. */
const maxBodyBytes = 20_000;
const maxMessageLength = 2000;
/** Precedes the base64 of a secret. */
const prefix = 'whsec_';

/** Standard Webhooks 1.0.0: the headers of the destination replace the defaults, but not those of the signature. */
export function toWebhookRequest(target: Target, message: Message, now: number) {
  const { body, contentType } = formattedBody(target, message);
  const timestamp = Math.floor(now / 1000);
  const headers: Record<string, string> = {
    'content-type': contentType,
    'user-agent': 'Vigil',
    ...withLowerCaseNames(target.headers),
    'webhook-id': message.uid,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(target.secrets, { id: message.uid, timestamp, body }),
  };
  return { method: target.method ?? 'POST', headers, body };
}

/** Lets a header of the destination replace a default in any spelling. */
function withLowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The body of a webhook as it is by default. */
export function webhookBody(message: Message): string {
  return cutWebhookBody(message, maxBodyBytes);
}

/** The same for a medium that takes less. */
export function cutWebhookBody(message: Message, bytes: number): string {
  return write(
    message,
    cutData(message, (data) => Buffer.byteLength(write(message, data)) < bytes),
  );
}

/** The data of a message. What would be too long leaves out members that the alert itself has. */
function cutData(message: Message, isFit: (data: Record<string, unknown>) => boolean) {
  if (isFit(message.data)) return message.data;
  const { meta: _meta, ...data } = message.data;
  const cut = { ...data, ...('message' in data ? { message: shorten(data.message) } : {}), truncated: true };
  if (isFit(cut)) return cut;
  const { uid, severity, links } = data;
  return { uid, severity, links, truncated: true };
}

/** The body in the format that the destination asks for. `maxValues` limits the values that a template may fill in. */
export function formattedBody(
  target: Target,
  message: Message,
  maxValues?: number,
): { body: string; contentType: string } {
  const { format, template } = target.settings;
  const whole = (toEvent: (data: unknown) => unknown) =>
    JSON.stringify(
      toEvent(cutData(message, (data) => Buffer.byteLength(JSON.stringify(toEvent(data))) < maxBodyBytes)),
    );
  switch (format) {
    case 'cloudevents':
      return {
        body: whole((data) => toCloudEvent(message, target.tenantId, data)),
        contentType: 'application/cloudevents+json; charset=UTF-8',
      };
    case 'ocsf':
      return { body: whole((data) => toOcsf(message, data)), contentType: 'application/json' };
    case 'template':
      return fillBody(String(template), message, maxValues);
    default:
      return { body: webhookBody(message), contentType: 'application/json' };
  }
}

function write({ type, timestamp, sequence }: Message, data: Record<string, unknown>): string {
  return JSON.stringify({ type, timestamp: new Date(timestamp).toISOString(), sequence, data });
}

function shorten(text: unknown): unknown {
  return typeof text === 'string' && text.length > maxMessageLength
    ? `${text.slice(0, maxMessageLength).toWellFormed()}…`
    : text;
}

/** The signature header of Standard Webhooks 1.0.0: one signature for each secret, newest first. */
export function webhookSignature(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  return secrets
    .map((secret) => {
      if (secret === sealedText) return `v1,${sealedText}`;
      const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

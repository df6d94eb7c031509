import type { Message } from './sender.ts';

/** Receivers commonly take no more. */
const mostBytes = 20_000;
const mostMessage = 2000;

/** The body of a webhook. One that would be too long leaves out what can be read at the alert itself. */
export function webhookBody(message: Message): string {
  const whole = write(message, message.data);
  if (Buffer.byteLength(whole) < mostBytes) return whole;
  const { meta: _meta, ...data } = message.data;
  const cut = { ...data, ...('message' in data ? { message: shorten(data.message) } : {}), truncated: true };
  const shorter = write(message, cut);
  if (Buffer.byteLength(shorter) < mostBytes) return shorter;
  const { uid, severity, links } = data;
  return write(message, { uid, severity, links, truncated: true });
}

function write({ type, timestamp, sequence }: Message, data: Record<string, unknown>): string {
  return JSON.stringify({ type, timestamp: new Date(timestamp).toISOString(), sequence, data });
}

function shorten(text: unknown): unknown {
  return typeof text === 'string' && text.length > mostMessage
    ? `${text.slice(0, mostMessage).toWellFormed()}…`
    : text;
}

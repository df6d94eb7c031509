import { createBoundedMap } from '../../../lib/createBoundedMap.ts';

/**
 * Has a transaction that may change workers announce after its commit. PostgreSQL locks announcements until a transaction
 * ends, so a worker that hangs would stop all commits.
 */
export const announceLater = "set local vigil.announce_later = 'on'";

const maxTexts = 1000;
const texts = createBoundedMap<string, readonly string[]>(maxTexts);
const call = /\bannounce\('(vigil_\w+)'\)/g;

/** The channels to which a statement announces that what they are about has changed. */
export function channelsOf(text: string): readonly string[] {
  let channels = texts.get(text);
  if (channels) return channels;
  const called = Array.from(text.matchAll(call), ([, channel = '']) => channel);
  channels = /\binsert into alert_event\b/i.test(text) ? [...called, 'vigil_alert'] : called;
  texts.set(text, channels);
  return channels;
}

/** The statement that announces; its values are names from statements. */
export function announceNow(channels: Iterable<string>): string {
  return `select ${Array.from(channels, (channel) => `pg_notify('${channel}', '')`).join()}`;
}

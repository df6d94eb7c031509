import type { Reader } from '../model/detection.ts';
import { askJson } from './askJson.ts';

/** When the registration of a domain ends, by its RDAP record (RFC 9083), in epoch milliseconds. */
export function readExpiry(read: Reader, url: string): { expiresAt: number } | { failure: string } {
  const answer = askJson(read, url, 'application/rdap+json');
  if ('failure' in answer) return answer;
  const { events } = (answer.document ?? {}) as { events?: unknown };
  const list: readonly Event[] = Array.isArray(events) ? events : [];
  const date = list.find((event) => event?.eventAction === 'expiration')?.eventDate;
  const expiresAt = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(expiresAt) ? { failure: `${url} tells no date of expiration.` } : { expiresAt };
}

type Event = { eventAction?: unknown; eventDate?: unknown } | null;

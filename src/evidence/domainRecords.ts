import { cutText } from '../lib/cutText.ts';
import { isRecord, membersOf } from '../lib/isRecord.ts';
import type { Reader } from '../model/detection.ts';
import { fetchJson } from './fetchJson.ts';

/** Kinds of record by the number that DNS has for them. */
export const recordTypes = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28, DS: 43, CAA: 257 } as const;
export type RecordType = keyof typeof recordTypes;

/** The values of one kind of record, sorted, from a resolver that speaks DNS over HTTPS in JSON. */
export function readRecords(read: Reader, resolver: string, domain: string, type: RecordType): string[] {
  const separator = resolver.includes('?') ? '&' : '?';
  const url = `${resolver}${separator}name=${encodeURIComponent(domain)}&type=${type}`;
  const answer = fetchJson(read, url, 'application/dns-json');
  if ('failure' in answer)
    throw new Error(`The ${type} records of ${domain} cannot be read: ${answer.failure}`);
  const { Status: status, Answer: records = [] } = membersOf(answer.document);
  // A name that does not exist has no records, which is a change like any other.
  if (status !== noError && status !== noSuchName)
    throw new Error(
      `The ${type} records of ${domain} cannot be read: ${url} answers with DNS status ${String(status)}.`,
    );
  if (!Array.isArray(records) || !records.every(isRecord))
    throw new Error(
      `The ${type} records of ${domain} cannot be read: ${url} answers without a list of them.`,
    );
  const values = records.flatMap((record) =>
    record.type === recordTypes[type] ? [toValue(record.data, type)] : [],
  );
  return [...new Set(values)].sort().slice(0, maxRecords);
}

const noError = 0;
const noSuchName = 3;
/** Bound what is kept of names with very many records. */
const maxRecords = 50;
const maxCharacters = 300;

/** Names have no case and may end with a dot; texts are as they are. */
function toValue(data: unknown, type: RecordType): string {
  const text = cutText(String(data), maxCharacters);
  return type === 'TXT' || type === 'CAA' ? text : text.toLowerCase().replace(/\.$/, '');
}

/** End of a domain's registration by its RDAP record (RFC 9083), in epoch milliseconds. */
export function readExpiry(read: Reader, url: string): { expiresAt: number } | { failure: string } {
  const answer = fetchJson(read, url, 'application/rdap+json');
  if ('failure' in answer) return answer;
  const { events } = membersOf(answer.document);
  const list: readonly unknown[] = Array.isArray(events) ? events : [];
  const date = list.map(membersOf).find((event) => event.eventAction === 'expiration')?.eventDate;
  const expiresAt = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(expiresAt) ? { failure: `${url} has no expiration date.` } : { expiresAt };
}

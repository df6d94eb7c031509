import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import type { Shift } from '../../query/onCall/shiftsBetween.ts';

type Calendar = {
  id: number;
  name: string;
  shifts: readonly Shift[];
  /** Where the shifts were too many: the instant up to which the calendar has them. */
  cutAt: number | undefined;
  nameOf: (userId: number) => string;
  now: number;
};

/** Shifts between two turns of others. */
const sliceShifts = 200;

/** The shifts of a schedule as an iCalendar file (RFC 5545). */
export async function writeCalendar({ id, name, shifts, cutAt, nameOf, now }: Calendar): Promise<string> {
  const head = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Vigil//On call//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escapeText(name)}`,
    ...(cutAt === undefined
      ? []
      : [`X-WR-CALDESC:${escapeText(`Too many shifts for one calendar: it ends at ${stamp(cutAt)}.`)}`]),
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
  ];
  const lines = head.map(fold);
  for (const [index, { userId, from, to }] of shifts.entries()) {
    if (index % sliceShifts === 0) await yieldToEventLoop();
    const event = [
      'BEGIN:VEVENT',
      `UID:vigil-${id}-${from}@on-call`,
      `DTSTAMP:${stamp(now)}`,
      `DTSTART:${stamp(from)}`,
      `DTEND:${stamp(to)}`,
      `SUMMARY:${escapeText(`${nameOf(userId)}: ${name}`)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ];
    for (const line of event) lines.push(fold(line));
  }
  lines.push('END:VCALENDAR', '');
  return lines.join('\r\n');
}

function stamp(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

function escapeText(text: string): string {
  return text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n|[\r\n]/g, '\\n')
    .replace(/\p{Cc}/gu, ' ');
}

/** A line has at most 75 bytes; its rest follows in lines that begin with a space. */
function fold(line: string): string {
  if (line.length <= 24) return line;
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of line) {
    const length = bytesOf(character.codePointAt(0) ?? 0);
    if (bytes + length > 74) {
      parts.push(part);
      part = '';
      bytes = 0;
    }
    part += character;
    bytes += length;
  }
  return [...parts, part].join('\r\n ');
}

/** Bytes of a character in UTF-8. Counted here, because a call of `Buffer` for each costs ten times as much. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

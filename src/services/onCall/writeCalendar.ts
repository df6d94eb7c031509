import type { Shift } from '../../query/onCall/shiftsBetween.ts';

type Calendar = {
  id: number;
  name: string;
  shifts: readonly Shift[];
  nameOf: (userId: number) => string;
  now: number;
};

/** The shifts of a schedule as an iCalendar file (RFC 5545). */
export function writeCalendar({ id, name, shifts, nameOf, now }: Calendar): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Vigil//On call//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escapeText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...shifts.flatMap(({ userId, from, to }) => [
      'BEGIN:VEVENT',
      `UID:vigil-${id}-${from}@on-call`,
      `DTSTAMP:${stamp(now)}`,
      `DTSTART:${stamp(from)}`,
      `DTEND:${stamp(to)}`,
      `SUMMARY:${escapeText(`${nameOf(userId)}: ${name}`)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return `${lines.map(fold).join('\r\n')}\r\n`;
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
  if (Buffer.byteLength(line) <= 75) return line;
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of line) {
    const length = Buffer.byteLength(character);
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

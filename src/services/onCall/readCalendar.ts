import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { Problem } from '../../model/errors.ts';
import { parseTimeZone } from '../../query/timeZone.ts';

/** An event of a calendar: when it is, and the texts that may name a user. */
export type CalendarEvent = { line: number; uid: string; from: number; to: number; names: string[] };

/** Limits of an imported calendar. */
export const maxCalendarLength = 256 * 1024;
export const maxCalendarEvents = 400;
const maxLines = 20_000;
/** Lines between two turns of others. */
const sliceLines = 500;

/**
 * Reads the events of an iCalendar file (RFC 5545). Anything that would be understood wrongly is refused with its line: events
 * that repeat, zones that are not of the IANA database, events without an end.
 */
export async function readCalendar(text: string, zone: string): Promise<CalendarEvent[]> {
  const lines = unfold(text);
  if (lines[0]?.text.trim().toUpperCase() !== 'BEGIN:VCALENDAR')
    throw fault(1, 'The file is no iCalendar file: it must begin with BEGIN:VCALENDAR.');
  const events: CalendarEvent[] = [];
  let open: { line: number; properties: Map<string, Property[]> } | undefined;
  // An alarm inside an event has properties of its own.
  let inner = 0;
  for (const [index, line] of lines.entries()) {
    if (index % sliceLines === 0) await yieldToEventLoop();
    const property = readProperty(line.text);
    if (!property) continue;
    const { name, value } = property;
    const component = value.trim().toUpperCase();
    if (name === 'BEGIN' && component === 'VEVENT') {
      if (open) throw fault(line.number, 'An event begins inside another one.');
      open = { line: line.number, properties: new Map() };
    } else if (name === 'BEGIN' && open) inner++;
    else if (name === 'END' && component === 'VEVENT') {
      if (!open || inner > 0) throw fault(line.number, 'An event ends that did not begin.');
      if (events.length >= maxCalendarEvents)
        throw fault(
          line.number,
          `The calendar has more than ${maxCalendarEvents} events: send a shorter time.`,
        );
      events.push(toEvent(open, zone));
      open = undefined;
    } else if (name === 'END' && open) inner--;
    else if (open && inner === 0) {
      const values = open.properties.get(name) ?? [];
      values.push({ ...property, line: line.number });
      open.properties.set(name, values);
    }
  }
  if (open) throw fault(open.line, 'The event that begins here does not end.');
  return events;
}

type Property = { name: string; parameters: ReadonlyMap<string, string>; value: string; line: number };

function unfold(text: string): { text: string; number: number }[] {
  const lines: { text: string; number: number }[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (index >= maxLines) throw fault(index + 1, `The file has more than ${maxLines} lines.`);
    const last = lines.at(-1);
    if (/^[ \t]/.test(line) && last) last.text += line.slice(1);
    else if (line.trim() !== '') lines.push({ text: line, number: index + 1 });
  }
  return lines;
}

/** `DTSTART;TZID=Europe/Berlin:20260101T090000`; values of parameters may be quoted. */
function readProperty(line: string): Omit<Property, 'line'> | undefined {
  let isQuoted = false;
  let end = -1;
  const cuts: number[] = [];
  for (let index = 0; index < line.length && end < 0; index++) {
    const character = line[index];
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === ';') cuts.push(index);
    else if (!isQuoted && character === ':') end = index;
  }
  if (end < 0) return undefined;
  const parts = [...cuts, end].map((cut, index) => line.slice(index === 0 ? 0 : cuts[index - 1]! + 1, cut));
  const [name = '', ...parameters] = parts;
  return {
    name: name.trim().toUpperCase(),
    parameters: new Map(
      parameters.map((parameter) => {
        const equals = parameter.indexOf('=');
        return [
          parameter.slice(0, Math.max(equals, 0)).toUpperCase(),
          parameter.slice(equals + 1).replace(/^"|"$/g, ''),
        ];
      }),
    ),
    value: line.slice(end + 1),
  };
}

function toEvent(
  { line, properties }: { line: number; properties: Map<string, Property[]> },
  zone: string,
): CalendarEvent {
  for (const name of ['RRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID']) {
    const [repeating] = properties.get(name) ?? [];
    if (repeating)
      throw fault(
        repeating.line,
        `The event repeats (${name}). Make a layer for turns that repeat; imports have single times.`,
      );
  }
  const one = (name: string): Property => {
    const [property, second] = properties.get(name) ?? [];
    if (!property) throw fault(line, `The event has no ${name}.`);
    if (second) throw fault(second.line, `The event has ${name} twice.`);
    return property;
  };
  const start = one('DTSTART');
  const from = readTime(start, zone);
  const to = readTime(one('DTEND'), zone);
  if (to <= from) throw fault(start.line, 'The event ends before it begins.');
  const texts = [...(properties.get('ATTENDEE') ?? []), ...(properties.get('SUMMARY') ?? [])];
  return {
    line,
    uid: one('UID').value.trim().slice(0, 255),
    from,
    to,
    names: texts.flatMap(({ name, value, parameters }) =>
      name === 'ATTENDEE'
        ? [value.replace(/^mailto:/i, ''), ...(parameters.has('CN') ? [parameters.get('CN') ?? ''] : [])]
        : [unescapeText(value)],
    ),
  };
}

const timeForm = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/;

function readTime({ value, parameters, line }: Property, scheduleZone: string): number {
  const match = timeForm.exec(value.trim());
  if (!match) throw fault(line, `'${value.slice(0, 40)}' is no time such as 20260101T090000Z.`);
  const [, year, month, day, hour = '0', minute = '0', second = '0', utc] = match;
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const [isoDay = ''] = new Date(local).toISOString().split('T');
  if (isoDay !== `${year}-${month}-${day}` || Number(hour) > 23)
    throw fault(line, `'${value.slice(0, 40)}' is a time that does not exist.`);
  if (utc === 'Z') return local;
  const name = parameters.get('TZID') ?? scheduleZone;
  let zone: ReturnType<typeof parseTimeZone>;
  try {
    zone = parseTimeZone(name, '/calendar');
  } catch {
    throw fault(line, `'${name.slice(0, 40)}' is no zone of the IANA database, such as Europe/Paris.`);
  }
  const guess = local - zone.offsetAt(local - 86_400_000);
  return zone.offsetAt(guess) === zone.offsetAt(local - 86_400_000) ? guess : local - zone.offsetAt(guess);
}

function unescapeText(text: string): string {
  return text.replace(/\\([\\;,nN])/g, (_, character: string) =>
    character.toLowerCase() === 'n' ? ' ' : character,
  );
}

function fault(line: number, message: string): Problem {
  return new Problem('unprocessable', `Line ${line}: ${message}`, {
    errors: [{ pointer: '/calendar', code: 'invalid-calendar', message: `Line ${line}: ${message}` }],
  });
}

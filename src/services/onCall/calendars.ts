import { createToken, hashToken } from '../../lib/token.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { compileSchedule } from '../../query/onCall/schedule.ts';
import { shiftsBetween } from '../../query/onCall/shiftsBetween.ts';
import { findPeople, listPeople, type Person } from '../../store/onCall/people.ts';
import {
  findCalendar,
  findSchedules,
  type StoredSchedule,
  setCalendarHash,
} from '../../store/onCall/schedules.ts';
import type { Row } from '../../store/records/records.ts';
import { maxOverrides, scheduleTable } from '../../store/tables/scheduleTable.ts';
import type { RecordOf } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findReadable } from '../records/findReadable.ts';
import { findWritable } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { updateRecord } from '../records/updateRecord.ts';
import { type CalendarEvent, readCalendar } from './readCalendar.ts';
import { isPresentIn } from './readOnCall.ts';
import { writeCalendar } from './writeCalendar.ts';

const dayMs = 86_400_000;
/** The shifts that a calendar shows. */
const pastMs = 14 * dayMs;
const aheadMs = 92 * dayMs;

/** The calendar of a schedule, for someone who may read the schedule. */
export async function downloadCalendar(call: Call, id: number): Promise<string> {
  const { tenantId } = await findReadable(call, scheduleTable, id);
  const [stored] = await findSchedules(call.db, [{ tenantId, id }]);
  if (!stored) throw new Problem('not-found', 'There is no such schedule.');
  return toCalendar(call, stored);
}

/** The same by the secret in the address. A wrong one and one that was ended are answered alike. */
export async function readCalendarBySecret(call: Call, code: string): Promise<string> {
  const stored = await findCalendar(call.db, hashToken(code));
  if (!stored) throw new Problem('not-found', 'There is no such calendar, or its address was ended.');
  return toCalendar(call, stored);
}

async function toCalendar({ db, now }: Call, stored: StoredSchedule): Promise<string> {
  const ids = [
    ...stored.layers.flatMap(({ userIds }) => userIds),
    ...stored.overrides.map(({ userId }) => userId),
  ];
  const people = await findPeople(db, stored.tenantId, [...new Set(ids)]);
  const schedule = compileSchedule(stored);
  const to = now + aheadMs;
  const { shifts, end } = await shiftsBetween(schedule, now - pastMs, to, isPresentIn(people));
  const nameOf = (id: number) => people.get(id)?.name ?? `User ${id}`;
  const cutAt = end < to ? end : undefined;
  return writeCalendar({ id: stored.id, name: stored.name, shifts, cutAt, nameOf, now });
}

/** Makes an address to subscribe to. The former one ends. The secret is shown once. */
export async function createCalendarAddress(call: Call, kind: RecordKind, id: number): Promise<string> {
  const tenantId = Number((await findWritable(call, kind, id)).tenantId);
  const code = createToken('calendar');
  await setCalendarHash(call.db, { tenantId, id }, hashToken(code));
  await audit(call, 'schedule', 'calendar', { id, tenantId }, undefined, undefined);
  return `${call.services.publicUrl()}/api/v1/calendar/${code}`;
}

export async function endCalendarAddress(call: Call, kind: RecordKind, id: number): Promise<void> {
  const tenantId = Number((await findWritable(call, kind, id)).tenantId);
  await setCalendarHash(call.db, { tenantId, id }, null);
  await audit(call, 'schedule', 'uncalendar', { id, tenantId }, undefined, undefined);
}

/** Makes overrides of the events of a calendar. Those of former imports are replaced, and all others stay. */
export async function importCalendar(
  call: Call,
  kind: RecordKind,
  id: number,
  calendar: string,
): Promise<Row> {
  const current = await findWritable(call, kind, id);
  const { tenantId, zone, overrides } = current as RecordOf<typeof scheduleTable.fields>;
  const people = await listPeople(call.db, tenantId);
  const find = createPeopleIndex(people);
  const imported = (await readCalendar(calendar, zone)).map((event) => ({
    userId: whoIs(event, find).id,
    from: event.from,
    to: event.to,
    note: null,
    uid: event.uid,
  }));
  const all = [...overrides.filter(({ uid }) => uid == null), ...imported];
  if (all.length > maxOverrides)
    throw unprocessable(
      '/calendar',
      'too-many',
      `makes ${all.length} overrides, and a schedule has at most ${maxOverrides}: remove past ones, or send a shorter time.`,
    );
  return updateRecord(
    call,
    kind,
    id,
    () => undefined,
    () => ({ overrides: all }),
  );
}

/** Finds people by name or e-mail address without case; a file may name as many as it has lines. */
function createPeopleIndex(people: readonly Person[]): (name: string) => readonly Person[] {
  const fold = (text: string) => text.trim().toLowerCase();
  const known = new Map<string, Person[]>();
  for (const person of people)
    for (const text of new Set([fold(person.email), fold(person.name)]))
      known.set(text, [...(known.get(text) ?? []), person]);
  return (name) => known.get(fold(name)) ?? [];
}

function whoIs({ names, line }: CalendarEvent, find: (name: string) => readonly Person[]): Person {
  for (const name of names) {
    const found = find(name);
    if (found.length === 1) return found[0]!;
    if (found.length > 1)
      throw unknown(line, `'${name.slice(0, 80)}' names several users: use their e-mail address.`);
  }
  const shown =
    names
      .slice(0, 3)
      .map((name) => `'${name.slice(0, 80)}'`)
      .join(', ') || 'no one';
  throw unknown(
    line,
    `The event names ${shown}, which is no active user: use the name or e-mail address of one.`,
  );
}

function unknown(line: number, message: string): Problem {
  const text = `Line ${line}: ${message}`;
  return new Problem('unprocessable', text, {
    errors: [{ pointer: '/calendar', code: 'unknown-reference', message: text }],
  });
}

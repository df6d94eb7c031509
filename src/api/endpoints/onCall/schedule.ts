import { type Static, Type } from 'typebox';
import { Count, Flag, Id, List, Millis, nullable, Shape, Text } from '../../../model/schema.ts';
import {
  createCalendarAddress,
  downloadCalendar,
  endCalendarAddress,
  importCalendar,
  readCalendarBySecret,
} from '../../../services/onCall/calendars.ts';
import { prepareSchedule } from '../../../services/onCall/prepareSchedule.ts';
import { maxCalendarEvents, maxCalendarLength } from '../../../services/onCall/readCalendar.ts';
import { maxShiftDays, readOnCall, readShifts } from '../../../services/onCall/readOnCall.ts';
import { refuseDuties } from '../../../services/onCall/refuseDuties.ts';
import { replySchema } from '../../../store/tables/fields.ts';
import { scheduleTable } from '../../../store/tables/scheduleTable.ts';
import { defineResource } from '../../http/defineResource.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const tag = 'On call';

export const schedule = defineResource({
  path: '/schedule',
  tag,
  about:
    'Who is on call when. Layers are rotations of people; the first one that has someone at a time counts. Overrides go before all ' +
    'layers. A schedule without anyone within the next 92 days is refused; gaps are listed by `GET /schedule/{id}/shifts`. A user who ' +
    'is disabled leaves empty turns, which the next layer takes.',
  table: scheduleTable,
  owner: 'tenant',
  limit: 'maxSchedules',
  prepare: prepareSchedule,
  beforeDelete: async (call, { id, tenantId }) => refuseDuties(call, tenantId, { scheduleId: id }),
});

const params = Shape({ id: Id('The schedule.') }, ['id']);
const person = {
  id: Id('The user.'),
  name: Text('Name, or e-mail address where there is none.', 'Alice'),
  email: Text('E-mail address.', 'alice@example.com'),
};
const user = (description: string) => nullable(Shape(person, Object.keys(person), description));
const layer = {
  layer: nullable(Count('The layer that says so, from 0; null for an override.', 0)),
  layerName: nullable(Text('Its name.', 'Day shift')),
  isOverride: Flag('Whether an override says so.'),
};
const onCall = {
  at: Millis('The instant.'),
  user: user('The user on call; null if there is no one.'),
  ...layer,
  until: nullable(Millis('Until when it stays so; null where nothing changes within a year.')),
  next: user('The user on call after that; null if there is no one.'),
};
const shift = {
  from: Millis('When it begins.'),
  to: Millis('When it ends.'),
  user: user('The user on call.'),
  ...layer,
};
const gap = {
  from: Millis('When it begins.'),
  to: Millis('When it ends.'),
  hours: Type.Number({ description: 'Its length in hours.', minimum: 0, examples: [12.5] }),
};
const shifts = {
  from: Millis('Where the time begins.'),
  to: Millis('Where it ends.'),
  shifts: List(Shape(shift, Object.keys(shift)), 'The shifts, cut at both ends.'),
  gaps: List(Shape(gap, Object.keys(gap)), 'The times at which no one is on call.'),
  warnings: List(Text('A sentence.', 'No one is on call for 12 hours.'), 'Holes that people should know of.'),
};
const calendarText = Text(
  `An iCalendar file (RFC 5545) of at most ${maxCalendarEvents} events. Each names an active user of the tenant by e-mail address ` +
    '(`ATTENDEE`) or name (`SUMMARY`), and does not repeat.',
  'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n',
  { max: maxCalendarLength },
);
const timeQuery = Shape(
  {
    from: Millis('Where the time begins; now if left out.'),
    to: Millis(`Where it ends, at most ${maxShiftDays} days later; 14 days if left out.`, 1_795_910_400_000),
  },
  [],
);

/** Endpoints of schedules beside those of the resource. */
export const scheduleEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/schedule/{id}/on-call',
    tag,
    summary: 'Read who is on call',
    description: 'Who is on call at an instant, until when, by which layer, and who comes next.',
    params,
    query: Type.Unsafe<{ at?: number }>(Shape({ at: Millis('The instant; now if left out.') }, [])),
    reply: Shape(onCall, Object.keys(onCall)),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params, query }) => ({ body: await readOnCall(call, params.id, query.at) }),
  }),
  endpoint({
    method: 'GET',
    path: '/schedule/{id}/shifts',
    tag,
    summary: 'List the shifts and gaps of a schedule',
    params,
    query: Type.Unsafe<Partial<Static<typeof timeQuery>>>(timeQuery),
    reply: Shape(shifts, Object.keys(shifts)),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params, query }) => ({
      body: await readShifts(call, params.id, query.from, query.to),
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/schedule/{id}/calendar',
    tag,
    summary: 'Read the calendar of a schedule',
    description: 'The shifts of the last 14 days and of the next 92 as an iCalendar file.',
    params,
    reply: Shape(
      { calendar: { ...calendarText, description: 'The file (RFC 5545).', maxLength: 10_000_000 } },
      ['calendar'],
    ),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: { calendar: await downloadCalendar(call, params.id) } }),
  }),
  endpoint({
    method: 'POST',
    path: '/schedule/{id}/calendar',
    tag,
    summary: 'Make the address of a calendar',
    description:
      'An address that calendars subscribe to, with a secret of its own, which is shown once. It shows names and times of the schedule to ' +
      'anyone who has it. The former address ends.',
    params,
    reply: Shape(
      { url: Text('The address.', 'https://vigil.example.com/api/v1/calendar/vigil_calendar_…') },
      ['url'],
    ),
    effect: 'change',
    problems: ['not-found'],
    handle: async (call, { params }) => ({
      body: { url: await createCalendarAddress(call, schedule.kind, params.id) },
      isSecret: true,
    }),
  }),
  endpoint({
    method: 'DELETE',
    path: '/schedule/{id}/calendar',
    tag,
    summary: 'End the address of a calendar',
    params,
    reply: Shape({ id: Id('The schedule.') }, ['id']),
    effect: 'change',
    problems: ['not-found'],
    handle: async (call, { params }) => {
      await endCalendarAddress(call, schedule.kind, params.id);
      return { body: { id: params.id } };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/schedule/{id}/import',
    tag,
    summary: 'Import a calendar into a schedule',
    description:
      'Each event becomes an override. Overrides of former imports are replaced, and those made here stay. A file that cannot be read as a ' +
      'whole changes nothing, and the answer names the line.',
    params,
    body: Shape({ calendar: calendarText }, ['calendar']),
    bodyLimit: 2 * maxCalendarLength,
    reply: replySchema(scheduleTable.fields),
    effect: 'change',
    problems: ['not-found', 'unprocessable'],
    handle: async (call, { params, body }) => ({
      body: await importCalendar(call, schedule.kind, params.id, body.calendar),
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/calendar/{code}',
    tag,
    summary: 'Read a calendar by its address',
    description: 'An iCalendar file (`text/calendar`); the secret in the address stands for a token.',
    params: Shape({ code: Text('The secret.', 'vigil_calendar_…', { max: 100 }) }, ['code']),
    reply: Shape({}, []),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => {
      const text = await readCalendarBySecret(call, params.code);
      return { stream: { pieces: piecesOf(text), type: 'text/calendar' } };
    },
  }),
];

async function* piecesOf(text: string): AsyncIterable<string> {
  yield text;
}

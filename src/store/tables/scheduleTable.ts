import { type Static, Type } from 'typebox';
import { Id, List, Millis, Name, nullable, OneOf, Shape, SomeOf, Text } from '../../model/schema.ts';
import { rotationUnits } from '../../query/onCall/schedule.ts';
import { weekdays } from '../../query/timeSets/timeSet.ts';
import { idField, searchedStatus, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

const timeZone = (description: string) => Text(description, 'Europe/Berlin', { max: 64 });

const restriction = Shape(
  {
    from: nullable(
      Text('When it begins, by the clocks of the zone; 00:00 if null.', '08:00', {
        max: 5,
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      }),
    ),
    to: nullable(
      Text('When it ends, 24:00 if null. At or before `from`: on the next day.', '20:00', {
        max: 5,
        pattern: '^([01][0-9]|2[0-4]):[0-5][0-9]$',
      }),
    ),
    weekdays: SomeOf(weekdays, 'The weekdays on which it begins; all if empty.', ['MON', 'FRI']),
  },
  [],
);

const layer = Shape(
  {
    name: nullable(Name('What people call it.', 'Day shift')),
    userIds: Type.Array(Id('A user of the tenant.'), {
      description: 'Who takes turns, in this order.',
      minItems: 1,
      maxItems: 50,
      examples: [[1, 2]],
    }),
    unit: OneOf(
      rotationUnits,
      'What turns are counted in. Days and weeks are those of the calendar; hours are real hours from `start` on.',
      'WEEKS',
    ),
    every: Type.Integer({
      description: 'How many of them a turn lasts.',
      minimum: 1,
      maximum: 1000,
      examples: [1],
    }),
    start: Millis('When the first turn begins; before that the layer has no one.'),
    handover: nullable(
      Text(
        'The local time at which turns of days and weeks end; that of `start` if null. Where a switch of daylight ' +
          'saving skips it, they end at the switch; where it comes twice, they end once.',
        '09:00',
        { max: 5, pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' },
      ),
    ),
    zone: nullable(timeZone('The zone of its clocks; that of the schedule if null.')),
    restrictions: List(
      restriction,
      'The times at which it counts: in any of these ranges. At all times if empty. Turns pass at other times too.',
      { maxItems: 20 },
    ),
  },
  ['userIds', 'unit', 'every', 'start'],
);

const override = Shape(
  {
    userId: Id('The user who is on call.'),
    from: Millis('From when on.', 4_102_444_800_000),
    to: Millis('Until when, at most 366 days later.', 4_102_531_200_000),
    note: nullable(Text('Why.', 'Swapped with Bob.')),
    uid: nullable(
      Text(
        'The event of the calendar that it was imported from; null if it was made here.',
        'a1@example.com',
        {
          max: 255,
        },
      ),
    ),
  },
  ['userId', 'from', 'to'],
);

/** Most overrides of a schedule, those of the past included. */
export const maxOverrides = 500;

export const scheduleTable = defineTable({
  kind: 'schedule',
  name: 'duty_schedule',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    name: editable(Name('Name, unique in the tenant.', 'Treasury'), { required: true }),
    description: editable(Text('Its purpose.', 'Everything that moves money.')),
    zone: editable(timeZone('The zone whose clocks count: a name of the IANA database, UTC, or an offset.'), {
      required: true,
    }),
    layers: editable(
      Type.Unsafe<Static<typeof layer>[]>({
        ...List(layer, 'Rotations. The first one that has someone at a time counts.', {
          minItems: 1,
          maxItems: 10,
        }),
        examples: [[{ userIds: [1], unit: 'WEEKS', every: 1, start: 1_794_700_800_000 }]],
      }),
      { required: true },
    ),
    overrides: editable(
      Type.Unsafe<Static<typeof override>[]>({
        ...List(
          override,
          'Times for which someone else is on call. They go before all layers and do not overlap.',
          {
            maxItems: maxOverrides,
          },
        ),
        examples: [[]],
      }),
      { default: [] },
    ),
  },
  searched: searchedStatus,
  hidden: { userIds: 'integer[]', calendarHash: 'bytes' },
  visible: byTenant,
  writable: byTenant,
  unique: { duty_schedule_name: { member: 'name', message: 'Another schedule has this name.' } },
});

import { type Static, Type } from 'typebox';
import { List, Name, nullable, Shape, SomeOf, Text } from '../../model/schema.ts';
import { weekdays } from '../../query/timeSets/timeSet.ts';
import { idField, searchedStatus, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

const time = (description: string, example: string) =>
  nullable(Text(description, example, { max: 5, pattern: '^([01][0-9]|2[0-4]):[0-5][0-9]$' }));
const numbers = (description: string, minimum: number, maximum: number, example: number[]) =>
  Type.Array(Type.Integer({ minimum, maximum }), {
    description,
    maxItems: 100,
    uniqueItems: true,
    examples: [example],
  });

const range = Shape(
  {
    from: time('When it begins, by the clocks of the zone; 00:00 if null.', '22:00'),
    to: time('When it ends, 24:00 if null. At or before `from`: on the next day.', '06:00'),
    weekdays: SomeOf(weekdays, 'The weekdays on which it begins; all if empty.', ['MON', 'FRI']),
    daysOfMonth: numbers(
      'The days of the month on which it begins, -1 for the last one; all if empty.',
      -31,
      31,
      [1, -1],
    ),
    months: numbers('The months in which it begins, 1 to 12; all if empty.', 1, 12, [1]),
    years: numbers('The years in which it begins; all if empty.', 1970, 9999, [2027]),
  },
  [],
);

export const timeSetTable = defineTable({
  kind: 'timeset',
  name: 'time_set',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    name: editable(Name('Name, unique in the tenant.', 'Nights'), { required: true }),
    description: editable(Text('Its purpose.', 'While only the night shift is there.')),
    zone: editable(
      Text(
        'The zone whose clocks count: a name of the IANA database, UTC, or an offset. Local times that a switch of ' +
          'daylight saving skips never hold, and those that it repeats hold twice.',
        'Europe/Berlin',
        { max: 64 },
      ),
      { required: true },
    ),
    ranges: editable(
      Type.Unsafe<Static<typeof range>[]>({
        ...List(range, 'The times at which it holds: in any of these ranges.', { minItems: 1, maxItems: 50 }),
        examples: [[{ from: '22:00', to: '06:00', weekdays: ['MON'] }]],
      }),
      { required: true },
    ),
  },
  searched: searchedStatus,
  visible: byTenant,
  writable: byTenant,
  unique: { time_set_name: { member: 'name', message: 'Another time set has this name.' } },
});

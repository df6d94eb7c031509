import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createAggregatedAlerts } from './support/aggregatedAlerts.ts';

let api: TestApi;
let token: string;

beforeAll(async () => {
  api = await startTestApi();
  token = (await createAggregatedAlerts(api, 600)).viewer;
});
afterAll(() => api.stop());

const aggregate = (aggregation: unknown) => api.call('POST', 'alert/aggregation', { aggregation }, { token });
const one = (item: Json): Json[] => [{ name: 'a', ...item }];
const measure = (field: string, word: string): Json[] => one({ field, aggregation: [word] });
const overTime = (item: Json): Json[] =>
  one({ field: 'timestamp', interval: '1d', aggregation: ['date_histogram'], ...item });
const numbered = (count: number, item: Json): Json[] =>
  Array.from({ length: count }, (_, n) => ({ ...item, name: `n${n}` }));
const nest = (depth: number): Json => ({
  name: 'n',
  field: 'kind',
  ...(depth > 1 ? { aggregation: [nest(depth - 1)] } : {}),
});

/** What is asked for, where in it the fault is, and its code. */
const refused: Record<string, [Json[], string, string]> = {
  'no items': [[], '', 'too-few'],
  'no name': [[{ field: 'kind' }], '/0/name', 'required'],
  'a name with a space': [one({ name: 'a b', field: 'kind' }), '/0/name', 'pattern'],
  'a name of 65 letters': [one({ name: 'x'.repeat(65), field: 'kind' }), '/0/name', 'too-long'],
  'an unknown member': [one({ field: 'kind', sise: 1 }), '/0/sise', 'unknown-member'],
  'two items of one name': [[nest(1), nest(2)], '/1/name', 'not-unique'],
  'a nested item that would hide a metric': [
    one({ field: 'kind', aggregation: [{ name: 'max', field: 'tags' }] }),
    '/0/aggregation/0/name',
    'reserved',
  ],
  'no field': [one({}), '/0/field', 'required'],
  'no field to measure': [one({ aggregation: ['count', 'missing'] }), '/0/field', 'required'],
  'an unknown field': [one({ field: 'severty' }), '/0/field', 'unknown-field'],
  'a pattern of fields': [one({ field: 'meta.*' }), '/0/field', 'unknown-field'],
  'an object': [one({ field: 'meta' }), '/0/field', 'unknown-field'],
  'a text': [one({ field: 'name' }), '/0/field', 'text-field'],
  'a number as kind': [one({ field: 'kind', aggregation: [7] }), '/0/aggregation/0', 'type'],
  'an unknown kind': [measure('kind', 'term'), '/0/aggregation/0', 'unknown-kind'],
  'an average of words': [measure('kind', 'avg'), '/0/aggregation/0', 'not-numeric'],
  'percentiles of texts': [measure('meta.x.keyword', 'percentiles'), '/0/aggregation/0', 'not-numeric'],
  'a sum of booleans': [measure('suppressed', 'sum'), '/0/aggregation/0', 'not-numeric'],
  'size 0': [one({ field: 'kind', size: 0 }), '/0/size', 'too-small'],
  'size 1001': [one({ field: 'kind', size: 1001 }), '/0/size', 'too-large'],
  'an empty sort': [one({ field: 'kind', sort: [] }), '/0/sort', 'too-few'],
  'a sort by what is not computed': [
    one({ field: 'kind', sort: [{ field: 'max' }] }),
    '/0/sort/0/field',
    'unknown-field',
  ],
  'a sort by several values': [
    one({ field: 'timestamp', aggregation: ['terms', 'stats'], sort: [{ field: 'stats' }] }),
    '/0/sort/0/field',
    'unknown-field',
  ],
  'a sort by buckets': [
    one({ field: 'kind', sort: [{ field: 'n.count' }], aggregation: [nest(1)] }),
    '/0/sort/0/field',
    'unknown-field',
  ],
  'two directions': [
    one({ field: 'kind', sort: [{ field: '_key', order: 'asc', direction: 'desc' }] }),
    '/0/sort/0/direction',
    'contradiction',
  ],
  'items 5 deep': [[nest(5)], '/0/aggregation/0/aggregation/0/aggregation/0/aggregation', 'too-deep'],
  '51 items': [one({ field: 'kind', aggregation: numbered(50, nest(1)) }), '', 'too-many'],
  'a histogram without interval': [measure('timestamp', 'date_histogram'), '/0/interval', 'required'],
  'a histogram with an odd interval': [overTime({ interval: '2M' }), '/0/interval', 'invalid-interval'],
  'a histogram in no time zone': [overTime({ timezone: 'Mars' }), '/0/timezone', 'invalid-time-zone'],
  'a histogram of numbers': [overTime({ field: 'blockNumber' }), '/0/field', 'not-a-date'],
  'a histogram with a size': [overTime({ size: 5 }), '/0/size', 'not-applicable'],
  'a histogram with a sort': [overTime({ sort: [{ field: '_key' }] }), '/0/sort', 'not-applicable'],
  'an interval for terms': [overTime({ aggregation: [] }), '/0/interval', 'not-applicable'],
  'both kinds of bucket': [
    overTime({ aggregation: ['terms', 'date_histogram'] }),
    '/0/aggregation',
    'contradiction',
  ],
  'too many minutes': [overTime({ interval: '1m' }), '', 'too-many-buckets'],
  'too many milliseconds': [overTime({ interval: '1ms', timezone: '+01:00' }), '', 'too-many-buckets'],
  'too many minutes of a time zone': [
    overTime({ interval: '1m', timezone: 'Europe/Berlin' }),
    '/0/interval',
    'too-many-buckets',
  ],
  'too many values': [numbered(45, { field: 'uid', size: 1000 }), '', 'too-many-buckets'],
  'too many nested values': [
    numbered(10, { field: 'uid', size: 1000, aggregation: [{ name: 'e', field: 'eid' }, nest(3)] }),
    '',
    'too-many-buckets',
  ],
  'a query that cannot be read': [
    one({ field: 'kind', aggregation: [{ ...nest(1), query: 'kind:(' }] }),
    '/0/aggregation/0/query',
    'invalid-query',
  ],
};

it.each(Object.entries(refused))(
  'an aggregation is refused with the place of its fault: %s',
  async (_, [aggregation, place, code]) => {
    const answer = await aggregate(aggregation);
    expect(answer.status, answer.text).toBe(400);
    const fault = { pointer: `/aggregation${place}`, code };
    expect(answer.body.errors).toContainEqual(expect.objectContaining(fault));
  },
);

it('a caller gets every fault at once, and what would be right', async () => {
  const { body } = await aggregate([
    { name: 'a', field: 'severty' },
    {
      name: 'a',
      field: 'name',
      aggregation: ['cardinalty', { name: 'b', field: 'message', query: 'kind:(' }],
    },
  ]);
  expect(body.errors.map(({ pointer, message }: Json) => `${pointer} ${message}`)).toEqual([
    '/aggregation/0/field is not a field: there is no severty; did you mean severity?',
    '/aggregation/1/name is the name of another item beside it; every item needs a name of its own.',
    '/aggregation/1/aggregation/0 is no kind of aggregation; did you mean cardinality?',
    '/aggregation/1/aggregation/1/field is a text; aggregate on message.keyword.',
    '/aggregation/1/field is a text; aggregate on name.keyword.',
  ]);
  const unread = await aggregate(one({ field: 'kind', query: 'kind:HIGH AND (' }));
  expect([unread.body.code, unread.body.position]).toEqual(['invalid-query', 16]);
});

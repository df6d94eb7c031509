import { type TSchema, Type } from 'typebox';
import { JsonObject, List, OneOf, Shape, Text } from '../../../model/schema.ts';
import { type AggregationItem, kindWords } from '../../../store/search/aggregate/aggregateItem.ts';
import { queryText, timeseries, trackTotalCount } from '../records/familyQ.ts';
import { partial } from '../records/searchReachable.ts';

const orders = ['asc', 'desc'] as const;

const bucketSort = List(
  Shape(
    {
      field: Text(
        '`_count`, `_key`, a metric that `aggregation` lists, or `child.metric` of a nested item without buckets. Buckets that are equal so far are sorted by key.',
        '_count',
        { min: 1, max: 200 },
      ),
      order: OneOf(orders, 'The direction; `_count` descends if left out, all else ascends.', 'desc'),
      direction: OneOf(orders, 'Another name for `order`.', 'desc'),
    },
    ['field'],
  ),
  'The order of the buckets; the largest first if left out.',
  { minItems: 1, maxItems: 16 },
);

const members = {
  name: Text(
    'The name of the result; unique among its neighbours. A nested item cannot be called key or like a metric.',
    'bySeverity',
    { pattern: '^[A-Za-z0-9_.-]{1,64}$', max: 64 },
  ),
  field: Text('The field that is grouped and measured; only `count` alone can do without.', 'severity', {
    min: 1,
    max: 200,
  }),
  size: Type.Integer({
    description: 'Number of buckets of terms to return.',
    minimum: 1,
    maximum: 1000,
    default: 10,
    examples: [10],
  }),
  sort: bucketSort,
  query: Type.String({
    description: 'Leaves only these of the alerts to the item, in the same syntax.',
    maxLength: 32_000,
    examples: ['status:UNRESOLVED'],
  }),
  interval: Text(
    'The length of a bucket of `date_histogram`: one of 1y, 1q, 1M, 1w, 1d, 1h, 1m, 1s, or a multiple such as 90m.',
    '1d',
    { max: 40 },
  ),
  timezone: Text('Time zone of the days of `date_histogram`; UTC if left out.', '+02:00', { max: 64 }),
};

const words = `one of ${kindWords.join(', ')}`;
const deepest = 4;

/** Written out level by level, because a reference inside of the document would not lead from there to its target. */
function item(depth: number): TSchema {
  const element: TSchema =
    depth === deepest
      ? { type: ['string', 'object'], description: `A kind: ${words}.`, examples: ['terms'] }
      : {
          description: `A kind (${words}), or an item.`,
          if: { type: 'string' },
          else: item(depth + 1),
          examples: ['terms'],
        };
  const aggregation = {
    ...List(element, 'Kind words and nested items; `terms` if left out.', { maxItems: 100 }),
    examples: [['terms']],
  };
  return Shape({ ...members, aggregation }, ['name']);
}

type AggregationBody = {
  aggregation: AggregationItem[];
  query?: string;
  timeseries?: { from: number; to: number }[];
  trackTotalCount?: number;
};

/** docs/api-spec.md, Aggregations. */
export const aggregationBody = Type.Unsafe<AggregationBody>({
  ...Shape(
    {
      aggregation: List(item(1), 'What to compute.', { minItems: 1, maxItems: 50 }),
      query: queryText,
      timeseries,
      trackTotalCount,
    },
    ['aggregation'],
  ),
  examples: [
    {
      query: 'status:UNRESOLVED',
      timeseries: [{ from: 1_792_108_800_000, to: 1_794_787_199_999 }],
      aggregation: [
        {
          name: 'byContract',
          field: 'contractId',
          size: 10,
          sort: [{ field: '_count', order: 'desc' }],
          aggregation: [
            { name: 'bySeverity', field: 'severity' },
            { name: 'latest', field: 'timestamp', aggregation: ['max'], query: 'severity:CRITICAL' },
          ],
        },
        {
          name: 'perDay',
          field: 'timestamp',
          aggregation: ['date_histogram'],
          interval: '1d',
          timezone: '+02:00',
        },
      ],
    },
  ],
});

export const aggregationReply = Shape(
  {
    total: Type.Integer({
      description: 'Number of alerts that the query finds, counted up to `trackTotalCount`.',
      minimum: 0,
      examples: [2],
    }),
    data: JsonObject('The result of every item, by its name.', {
      byContract: {
        count: 2,
        buckets: [
          {
            key: 7,
            count: 2,
            latest: { count: 1, max: 1_794_700_800_000 },
            bySeverity: {
              count: 2,
              buckets: [
                { key: 'CRITICAL', count: 1 },
                { key: 'LOW', count: 1 },
              ],
              otherCount: 0,
            },
          },
        ],
        otherCount: 0,
      },
      perDay: { count: 2, buckets: [{ key: 1_794_693_600_000, count: 2 }] },
    }),
    partial,
  },
  ['total', 'data'],
);

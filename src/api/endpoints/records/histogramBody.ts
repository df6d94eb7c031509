import { type Static, type TSchema, Type } from 'typebox';
import { List, Shape, Text } from '../../../model/schema.ts';
import { createBuckets, denseBuckets, parseInterval } from '../../../query/interval.ts';
import { parseTimeZone } from '../../../query/timeZone.ts';
import type { TimeCut } from '../../../store/search/rollups/countByRollup.ts';
import { queryText } from './familyQ.ts';

/** The last millisecond of the year 9999. */
const maxTime = 253_402_300_799_999;
const time = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, maximum: maxTime, examples: [example] });

export const intervalText = (description: string) =>
  Text(
    `${description} One of 1y, 1q, 1M, 1w, 1d, 1h, 1m, 1s (or year, quarter, month, week, day, hour, minute, second), which follow the calendar, or a whole multiple of ms, s, m, h or d such as 90m. At most 11,000 of them.`,
    '1d',
    { min: 1, max: 40 },
  );

type HistogramBody = { from: number; to: number; interval: string; query?: string; timezone?: string };

/** The histogram request of docs/api-spec.md. */
export const histogramBody = Type.Unsafe<HistogramBody>(
  Shape(
    {
      from: time('Start in milliseconds, included.', 1_794_700_800_000),
      to: time('End in milliseconds, included; not before `from`.', 1_794_787_199_999),
      interval: intervalText('Width of a bucket.'),
      query: queryText,
      timezone: {
        ...Text(
          'Where days begin: an offset up to 18:00 such as +05:45, UTC, or an IANA name such as Europe/Paris, which knows when the clocks change.',
          '+02:00',
          { min: 1, max: 64 },
        ),
        default: 'UTC',
      },
    },
    ['from', 'to', 'interval'],
  ),
);

/** The buckets that a request asks for. */
export function readCut({ from, to, interval, timezone = 'UTC' }: HistogramBody): TimeCut {
  const buckets = createBuckets(parseInterval(interval, '/interval'), parseTimeZone(timezone, '/timezone'));
  return { from, to, starts: denseBuckets(buckets, from, to) };
}

export function histogramData<T extends TSchema>(bucket: T) {
  return List(
    Type.Unsafe<{ ts: number; bucket: Static<T> }>(
      Shape(
        {
          ts: Type.Integer({
            description: 'Start of the bucket in milliseconds.',
            examples: [1_794_700_800_000],
          }),
          bucket,
        },
        ['ts', 'bucket'],
      ),
    ),
    'Every bucket from that of the start to that of the end, in order, empty ones too.',
  );
}

import { unpackMonth } from './rollupMonths.ts';
import { type DaySpan, wholeDay } from './rollupSpans.ts';
import { dayMs, perCount, perQuarter, quarterMs } from './rollups.ts';

/** A time range: `from` is inside, `beyond` is not. */
export type Span = { from: number; beyond: number };

/**
 * A day of the roll-ups. With `cut`, where a bucket begins: `numbers` has the latest counts, `totals` the day's, and
 * `side` those of the cut's shorter side, perhaps with some extra.
 */
export type RollupDay = {
  day: number;
  cut: number;
  numbers: number[];
  totals: number[] | null;
  side: number[] | null;
};
const quartersOfDay = dayMs / quarterMs;

/** Adds the counts of a day within the span to those of the buckets that begin at `starts`. */
export function addDay(
  sums: Float64Array,
  { day, cut, numbers, totals, side }: RollupDay,
  starts: readonly number[],
  span: Span,
): void {
  const firstBucket = bucketOf(starts, day * dayMs);
  const add = (bucket: number, number: number, sign = 1) => {
    sums[bucket * perQuarter + (number & (perQuarter - 1))]! += sign * Math.floor(number / perCount);
  };
  let bucket = firstBucket;
  let lastQuarter = -1;
  for (const number of numbers) {
    const quarter = cut === wholeDay ? lastQuarter : quarterOf(number);
    const time = day * dayMs + quarter * quarterMs;
    if (cut !== wholeDay && (time < span.from || time >= span.beyond)) continue;
    // Mostly in the order of time.
    if (quarter !== lastQuarter) bucket = bucketOf(starts, time);
    lastQuarter = quarter;
    add(bucket, number);
  }
  if (!totals || !side) return;
  // The whole day is counted in the bucket of its longer side, and then the other side is moved.
  const isEndShort = cut > quartersOfDay / 2;
  const [longer, shorter] = isEndShort ? [firstBucket, firstBucket + 1] : [firstBucket + 1, firstBucket];
  for (const number of totals) add(longer, number);
  for (const number of side) {
    if (quarterOf(number) >= cut !== isEndShort) continue;
    add(longer, number, -1);
    add(shorter, number);
  }
}

/** The same of a packed month, but for its settled days. */
export function addMonth(
  sums: Float64Array,
  { day: monthDay, numbers }: RollupDay,
  starts: readonly number[],
  { from, beyond }: Span,
  settled: readonly DaySpan[],
): void {
  let bucket = 0;
  unpackMonth(monthDay, numbers, (day, quarter, cell, count) => {
    const time = day * dayMs + quarter * quarterMs;
    if (time < from || time >= beyond || isIn(settled, day)) return;
    if (time < starts[bucket]! || time >= (starts[bucket + 1] ?? beyond)) bucket = bucketOf(starts, time);
    sums[bucket * perQuarter + cell]! += count;
  });
}

const quarterOf = (number: number) => Math.floor((number & (perCount - 1)) / perQuarter);

/** The last bucket that does not begin after `at`. */
function bucketOf(starts: readonly number[], time: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export const isIn = (spans: readonly DaySpan[], day: number) =>
  spans.some(({ first, last }) => day >= first && day <= last);

import { invalid } from '../../../model/errors.ts';
import type { PlannedItem } from './aggregateItem.ts';
import { columnPrefix } from './aggregateLevel.ts';
import { toMetrics } from './aggregateParts.ts';

type Row = Readonly<Record<string, unknown>>;

/** Result of an item inside one bucket, or of an item outside of any. */
export type ItemResult = {
  count: number;
  /** Documents without a value of the field. */
  missing: number;
  /** The sum of the counts of all buckets, including those that are not returned. */
  all: number;
  buckets: Bucket[];
  /** The row of an item that only measures. */
  row: Row;
};

export type Bucket = {
  key: unknown;
  /** The keys of the buckets around it, and its own. */
  keys: readonly unknown[];
  /** Its parts are those of this level in the row. */
  level: number;
  row: Row;
  items: Map<PlannedItem, ItemResult>;
};

export const maxBuckets = 10_000;

export function tooManyBuckets() {
  return invalid(
    '/aggregation',
    'too-many-buckets',
    `The answer would have more than ${maxBuckets.toLocaleString('en-US')} buckets; ask for fewer ` +
      'by `size`, a longer `interval` or a narrower query.',
  );
}

/** The response for all items; adds the empty buckets inside a histogram. */
export function toReply(
  items: readonly PlannedItem[],
  results: ReadonlyMap<PlannedItem, ItemResult>,
): Record<string, unknown> {
  const budget = { left: maxBuckets };
  // A name may be __proto__, which only this way becomes a member.
  return Object.fromEntries(items.map((item) => [item.name, toItem(item, results.get(item), budget)]));
}

type Budget = { left: number };

const nothing: ItemResult = { count: 0, missing: 0, all: 0, buckets: [], row: {} };

function toItem(item: PlannedItem, result: ItemResult = nothing, budget: Budget): Record<string, unknown> {
  if (!item.buckets)
    return Object.fromEntries([['count', result.count], ...toMetrics(item, result.row, columnPrefix(-1, 0))]);
  const buckets = dense(item, result.buckets, budget);
  const counts = result.buckets.reduce((sum, bucket) => sum + countOf(bucket, 0), 0);
  return {
    count: result.count,
    ...(item.words.has('missing') ? { missing: result.missing } : {}),
    buckets: buckets.map((bucket) => toBucket(item, bucket, budget)),
    ...(item.buckets.type === 'terms' ? { otherCount: result.all - counts } : {}),
  };
}

function dense({ buckets }: PlannedItem, found: readonly Bucket[], budget: Budget): readonly Bucket[] {
  const [first] = found;
  if (buckets?.type !== 'histogram' || first === undefined) {
    spend(budget, found.length);
    return found;
  }
  const bucketsByKey = new Map(found.map((bucket) => [bucket.key, bucket]));
  const last = Number(found.at(-1)?.key);
  const all: Bucket[] = [];
  for (let key = Number(first.key); key <= last; key = buckets.starts.next(key)) {
    spend(budget, 1);
    all.push(bucketsByKey.get(key) ?? { ...first, key, row: {}, items: new Map() });
  }
  return all;
}

function spend(budget: Budget, count: number): void {
  budget.left -= count;
  if (budget.left < 0) throw tooManyBuckets();
}

function toBucket(item: PlannedItem, bucket: Bucket, budget: Budget): Record<string, unknown> {
  const measures = item.measures.map((measure, index): [string, unknown] => [
    measure.name,
    Object.fromEntries([
      ['count', countOf(bucket, index + 1)],
      ...toMetrics(measure, bucket.row, columnPrefix(bucket.level, index + 1)),
    ]),
  ]);
  return Object.fromEntries([
    ['key', bucket.key],
    ['count', countOf(bucket, 0)],
    ...toMetrics(item, bucket.row, columnPrefix(bucket.level, 0)),
    ...measures,
    ...item.children.map((child): [string, unknown] => [
      child.name,
      toItem(child, bucket.items.get(child), budget),
    ]),
  ]);
}

export function countOf({ row, level }: Pick<Bucket, 'row' | 'level'>, measure: number): number {
  return Number(row[`${columnPrefix(level, measure)}docs`] ?? 0);
}

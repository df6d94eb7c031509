import type { Buckets } from '../../../query/interval.ts';
import type { SortItem } from '../documents/documentSort.ts';
import type { FieldValues } from './aggregateField.ts';

/** An aggregation as requested. */
export type AggregationItem = {
  name: string;
  field?: string;
  size?: number;
  /** Kind words and nested items. */
  aggregation?: readonly (string | AggregationItem)[];
  sort?: readonly SortItem[];
  query?: string;
  interval?: string;
  timezone?: string;
};

export const metricWords = [
  'count',
  'min',
  'max',
  'avg',
  'sum',
  'stats',
  'cardinality',
  'percentiles',
  'missing',
] as const;
export type MetricWord = (typeof metricWords)[number];
export const kindWords = ['terms', 'date_histogram', ...metricWords] as const;

/** An aggregation that has passed every check. */
export type PlannedItem = {
  name: string;
  pointer: string;
  /** Absent only where documents are counted and nothing else. */
  values?: FieldValues;
  words: ReadonlySet<MetricWord>;
  query?: string;
  /** Absent where the item only measures. */
  buckets?: TermsBuckets | Histogram;
  /** Nested items that only measure: they are columns of this item's buckets. */
  measures: readonly PlannedItem[];
  /** Nested items with buckets of their own. */
  children: readonly PlannedItem[];
};

export type TermsBuckets = { type: 'terms'; size: number; sort: readonly BucketSort[] };

export type Histogram = {
  type: 'histogram';
  starts: Buckets;
  /** All buckets are equally long, so that arithmetic finds them. */
  isEven: boolean;
};

/** By the key, the count, or a metric: of the item itself (measure 0) or of one of its `measures` (from 1 on). */
export type BucketSort = { order: 'asc' | 'desc' } & (
  | { by: 'key' }
  | { by: 'count' }
  | { by: 'metric'; measure: number; word: MetricWord }
);

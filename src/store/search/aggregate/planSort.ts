import type { Fault } from '../../../model/errors.ts';
import type { SortItem } from '../documents/documentSort.ts';
import type { BucketSort, MetricWord, PlannedItem } from './aggregateItem.ts';

/** The order of an item's buckets; what cannot be sorted by is added to the faults. */
export function planSort(
  faults: Fault[],
  sort: readonly SortItem[],
  words: ReadonlySet<MetricWord>,
  measures: readonly PlannedItem[],
  pointer: string,
): BucketSort[] {
  return sort.flatMap((item, index): BucketSort[] => {
    const itemPointer = `${pointer}/sort/${index}`;
    if (item.order && item.direction && item.order !== item.direction) {
      const message = '`order` and `direction` are two names of one thing.';
      faults.push({ pointer: `${itemPointer}/direction`, code: 'contradiction', message });
    }
    const order = item.order ?? item.direction;
    if (item.field === '_count') return [{ by: 'count', order: order ?? 'desc' }];
    if (item.field === '_key') return [{ by: 'key', order: order ?? 'asc' }];
    const metric = findMetric(item.field, words, measures);
    if (metric) return [{ by: 'metric', ...metric, order: order ?? 'asc' }];
    faults.push({ pointer: `${itemPointer}/field`, code: 'unknown-field', message: unknown });
    return [];
  });
}

const unknown =
  'is nothing to sort buckets by: give _count, _key, one of count, min, max, avg, sum, cardinality and missing that ' +
  '`aggregation` lists, or such a metric of a nested item that makes no buckets, as in child.max.';

const several: ReadonlySet<MetricWord> = new Set(['stats', 'percentiles']);

function findMetric(
  name: string,
  words: ReadonlySet<MetricWord>,
  measures: readonly PlannedItem[],
): { measure: number; word: MetricWord } | undefined {
  const ownWord = [...words].find((word) => word === name && !several.has(word));
  if (ownWord) return { measure: 0, word: ownWord };
  // A name may have dots itself, so that the whole is compared.
  return measures
    .flatMap((item, index) =>
      [...item.words, 'count' as const].map((word) => ({
        measure: index + 1,
        word,
        path: `${item.name}.${word}`,
      })),
    )
    .find(({ path, word }) => path === name && !several.has(word));
}

import { createBuckets, parseInterval } from '../../../src/query/interval.ts';
import { createMatcher } from '../../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../../src/query/lucene/createSubject.ts';
import { parseQuery } from '../../../src/query/lucene/parseQuery.ts';
import { resolve } from '../../../src/query/lucene/resolve.ts';
import { parseTimeZone } from '../../../src/query/timeZone.ts';
import { alertTable } from '../../../src/store/search/documents/alertTable.ts';
import type { Json } from '../../../testing/startTestApi.ts';

export type Item = {
  name: string;
  field?: string;
  size?: number;
  aggregation?: (string | Item)[];
  sort?: { field: string; order?: 'asc' | 'desc' }[];
  query?: string;
  interval?: string;
  timezone?: string;
};
type Key = string | number | boolean;

/** What the endpoint should answer, computed bucket by bucket in the plainest way. */
export function naiveAggregate(documents: readonly Json[], items: readonly Item[]): Json {
  return Object.fromEntries(items.map((item) => [item.name, aggregateItem(documents, item)]));
}

export function matching(documents: readonly Json[], query: string | undefined): readonly Json[] {
  if (!query?.trim()) return documents;
  const matches = createMatcher(resolve(parseQuery(query), alertTable.mapping, Date.now()));
  return documents.filter((document) => matches(createSubject(document)));
}

/** Every value of the field in a document, as often as it is there. */
function valuesOf(document: Json, field: string): Key[] {
  const isWhole = field.endsWith('.keyword');
  const path = (isWhole ? field.slice(0, -'.keyword'.length) : field).split('.');
  const found = valuesAt(document, path);
  const ofType = path[0] !== 'meta' ? found : isWhole ? found.filter(isText) : found.flatMap(toNumber);
  const isFolded = /(address|addresses|hash|hashes)$/i.test(path.at(-1)!);
  return isFolded ? ofType.map((value) => (typeof value === 'string' ? value.toLowerCase() : value)) : ofType;
}

function isText(value: Key): boolean {
  return typeof value === 'string';
}

/** A text that is a number is one; all of these are doubles. */
function toNumber(value: Key): Key[] {
  if (typeof value !== 'string') return [value];
  return /^[+-]?\d+(\.\d+)?$/.test(value) ? [Number(value)] : [];
}

function valuesAt(value: unknown, path: readonly string[]): Key[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  const [member, ...rest] = path;
  if (member === undefined) return typeof value === 'object' || value === undefined ? [] : [value as Key];
  return typeof value === 'object' && value !== null ? valuesAt((value as Json)[member], rest) : [];
}

function aggregateItem(all: readonly Json[], item: Item): Json {
  const documents = matching(all, item.query);
  const elements = item.aggregation ?? [];
  const words = elements.filter((element) => typeof element === 'string');
  const nested = elements.filter((element) => typeof element !== 'string');
  const isHistogram = words.includes('date_histogram');
  const hasBuckets = elements.length === 0 || nested.length > 0 || isHistogram || words.includes('terms');
  const measure = (group: readonly Json[]) => ({ count: group.length, ...metrics(group, item.field, words) });
  if (!hasBuckets) return measure(documents);
  const toBucket = (key: Key, group: readonly Json[]): Json => ({
    key,
    ...measure(group),
    ...naiveAggregate(group, nested),
  });
  const starts = isHistogram
    ? createBuckets(parseInterval(item.interval!, ''), parseTimeZone(item.timezone ?? 'UTC', ''))
    : undefined;
  const groups = new Map<Key, Json[]>();
  for (const document of documents) {
    const values = valuesOf(document, item.field!);
    for (const key of new Set(starts ? values.map((value) => starts.start(Number(value))) : values)) {
      const group = groups.get(key);
      if (group) group.push(document);
      else groups.set(key, [document]);
    }
  }
  const missing = words.includes('missing')
    ? { missing: documents.filter((document) => valuesOf(document, item.field!).length === 0).length }
    : {};
  if (starts) {
    const keys = [...groups.keys()].map(Number).sort((a, b) => a - b);
    const buckets: Json[] = [];
    for (let key = keys[0]!; key <= keys.at(-1)!; key = starts.next(key))
      buckets.push(toBucket(key, groups.get(key) ?? []));
    return { count: documents.length, ...missing, buckets };
  }
  const buckets = Array.from(groups, ([key, group]) => toBucket(key, group)).sort(compareBuckets(item));
  const shown = buckets.slice(0, item.size ?? 10);
  const otherCount = buckets.slice(shown.length).reduce((sum, bucket) => sum + bucket.count, 0);
  return { count: documents.length, ...missing, buckets: shown, otherCount };
}

function metrics(documents: readonly Json[], field: string | undefined, words: readonly string[]): Json {
  const values = field === undefined ? [] : documents.flatMap((document) => valuesOf(document, field));
  const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  const sum = numbers.reduce((total, number) => total + number, 0);
  const min = numbers[0] ?? null;
  const max = numbers.at(-1) ?? null;
  const avg = numbers.length === 0 ? null : sum / numbers.length;
  const all: Json = {
    min,
    max,
    avg,
    sum,
    stats: { count: numbers.length, min, max, avg, sum },
    cardinality: new Set(values).size,
    percentiles: Object.fromEntries(
      [1, 5, 25, 50, 75, 95, 99].map((percent) => [`${percent}.0`, percentile(numbers, percent / 100)]),
    ),
    missing: documents.filter((document) => field === undefined || valuesOf(document, field).length === 0)
      .length,
  };
  return Object.fromEntries(words.flatMap((word) => (word in all ? [[word, all[word]]] : [])));
}

function percentile(sorted: readonly number[], share: number): number | null {
  if (sorted.length === 0) return null;
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)]!;
  return low + (place - Math.floor(place)) * (sorted[Math.ceil(place)]! - low);
}

function compareBuckets(item: Item): (a: Json, b: Json) => number {
  const sort = [...(item.sort ?? [{ field: '_count', order: 'desc' as const }]), { field: '_key' }];
  return (a, b) => {
    for (const { field, order = field === '_count' ? 'desc' : 'asc' } of sort) {
      const [left, right] = [sortValue(a, field), sortValue(b, field)];
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1;
        continue;
      }
      const difference = compareKeys(left, right);
      if (difference !== 0) return order === 'asc' ? difference : -difference;
    }
    return 0;
  };
}

function sortValue(bucket: Json, field: string): Key | null {
  if (field === '_count') return bucket.count;
  if (field === '_key') return bucket.key;
  if (field in bucket) return bucket[field];
  const dot = field.lastIndexOf('.');
  return bucket[field.slice(0, dot)][field.slice(dot + 1)];
}

/** Numbers come before booleans; texts are compared by code point. */
function compareKeys(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return Number(a) - Number(b);
}

import { nearest } from '../../../lib/nearest.ts';
import { type Fault, Problem } from '../../../model/errors.ts';
import { createBuckets, parseInterval } from '../../../query/interval.ts';
import { parseTimeZone } from '../../../query/timeZone.ts';
import type { DocumentTable } from '../documents/documentTable.ts';
import { aggregateField, type FieldValues } from './aggregateField.ts';
import {
  type AggregationItem,
  type Histogram,
  kindWords,
  metricWords,
  type PlannedItem,
  type TermsBuckets,
} from './aggregateItem.ts';
import { planSort } from './planSort.ts';

const maxDepth = 4;
const maxItems = 50;
const numeric: ReadonlySet<string> = new Set(['min', 'max', 'avg', 'sum', 'stats', 'percentiles']);
/** Members of a bucket, which a nested item of that name would replace. */
const reserved: ReadonlySet<string> = new Set(['key', ...metricWords]);

/** The items ready to run, and every fault in them. */
export function planAggregation(
  table: DocumentTable,
  items: readonly AggregationItem[],
): { items: PlannedItem[]; faults: Fault[] } {
  const faults: Fault[] = [];
  const count = countItems(items);
  if (count > maxItems) {
    const message = `has ${count} items with those nested in it, and must have at most ${maxItems}.`;
    faults.push({ pointer: '/aggregation', code: 'too-many', message });
    return { items: [], faults };
  }
  const planned = planSiblings({ table, faults }, items, '/aggregation', 1);
  return { items: planned, faults };
}

function countItems(items: readonly (string | AggregationItem)[]): number {
  return items.reduce<number>(
    (count, item) => (typeof item === 'string' ? count : count + 1 + countItems(item.aggregation ?? [])),
    0,
  );
}

type Plan = { table: DocumentTable; faults: Fault[] };

function planSiblings(
  plan: Plan,
  items: readonly (string | AggregationItem)[],
  pointer: string,
  depth: number,
): PlannedItem[] {
  const names = new Set<string>();
  return items.flatMap((item, index) => {
    if (typeof item === 'string') return [];
    const itemPointer = `${pointer}/${index}`;
    if (names.has(item.name)) {
      const message = `is the name of another item beside it; every item needs a name of its own.`;
      plan.faults.push({ pointer: `${itemPointer}/name`, code: 'not-unique', message });
    }
    names.add(item.name);
    if (depth > 1 && reserved.has(item.name)) {
      const message = `is a member of every bucket, so that a nested item cannot have this name.`;
      plan.faults.push({ pointer: `${itemPointer}/name`, code: 'reserved', message });
    }
    return [planItem(plan, item, itemPointer, depth)];
  });
}

function planItem(plan: Plan, item: AggregationItem, pointer: string, depth: number): PlannedItem {
  const elements = item.aggregation ?? [];
  const words = elements.filter((element) => typeof element === 'string');
  checkWords(plan, elements, pointer);
  const isNesting = words.length < elements.length;
  if (isNesting && depth === maxDepth) {
    const message = `must not hold items: they can be nested ${maxDepth} deep.`;
    plan.faults.push({ pointer: `${pointer}/aggregation`, code: 'too-deep', message });
  }
  const nested = depth === maxDepth ? [] : planSiblings(plan, elements, `${pointer}/aggregation`, depth + 1);
  const isHistogram = words.includes('date_histogram');
  const metrics = new Set(metricWords.filter((word) => words.includes(word)));
  const hasBuckets = elements.length === 0 || isNesting || isHistogram || words.includes('terms');
  const values = planField(plan, item, pointer, hasBuckets || words.some((word) => word !== 'count'));
  if (values) checkNumeric(plan, elements, values, item.field, pointer);
  const measures = nested.filter(({ buckets }) => !buckets);
  const sort = planSort(plan.faults, item.sort ?? [], metrics, measures, pointer);
  if (!isHistogram) refuse(plan, item, ['interval', 'timezone'], pointer, 'is for date_histogram alone.');
  const terms: TermsBuckets = { type: 'terms', size: item.size ?? 10, sort };
  const buckets = isHistogram ? planHistogram(plan, item, values, pointer) : hasBuckets ? terms : undefined;
  return {
    name: item.name,
    pointer,
    words: metrics,
    measures,
    children: nested.filter((child) => child.buckets),
    ...(values ? { values } : {}),
    ...(item.query?.trim() ? { query: item.query } : {}),
    ...(buckets ? { buckets } : {}),
  };
}

function checkWords(
  { faults }: Plan,
  elements: readonly (string | AggregationItem)[],
  pointer: string,
): void {
  for (const [index, word] of elements.entries()) {
    if (typeof word !== 'string' || kindWords.some((kindWord) => kindWord === word)) continue;
    const guess = nearest(word, kindWords);
    const message = guess ? `is no kind of aggregation; did you mean ${guess}?` : 'is no kind of aggregation';
    const kinds = guess ? '' : `: give one of ${kindWords.join(', ')}, or an item.`;
    faults.push({
      pointer: `${pointer}/aggregation/${index}`,
      code: 'unknown-kind',
      message: `${message}${kinds}`,
    });
  }
  if (elements.includes('terms') && elements.includes('date_histogram')) {
    const message = 'must not name both terms and date_histogram: an item makes buckets of one kind.';
    faults.push({ pointer: `${pointer}/aggregation`, code: 'contradiction', message });
  }
}

function planField(
  { table, faults }: Plan,
  { field }: AggregationItem,
  pointer: string,
  isNeeded: boolean,
): FieldValues | undefined {
  if (field === undefined) {
    if (isNeeded) faults.push({ pointer: `${pointer}/field`, code: 'required', message: 'is required.' });
    return undefined;
  }
  const values = aggregateField(table, field);
  if ('sql' in values) return values;
  faults.push({ pointer: `${pointer}/field`, ...values });
  return undefined;
}

function checkNumeric(
  { faults }: Plan,
  elements: readonly (string | AggregationItem)[],
  values: FieldValues,
  field: string | undefined,
  pointer: string,
): void {
  if (values.number) return;
  for (const [index, word] of elements.entries()) {
    if (typeof word !== 'string' || !numeric.has(word)) continue;
    const message = `needs a number or a date, and ${field} is neither.`;
    faults.push({ pointer: `${pointer}/aggregation/${index}`, code: 'not-numeric', message });
  }
}

function planHistogram(
  plan: Plan,
  item: AggregationItem,
  values: FieldValues | undefined,
  pointer: string,
): Histogram | undefined {
  if (values && !values.isDate) {
    const message = `is no date, which date_histogram needs; take timestamp.`;
    plan.faults.push({ pointer: `${pointer}/field`, code: 'not-a-date', message });
  }
  refuse(plan, item, ['size', 'sort'], pointer, 'is not for date_histogram, whose buckets follow time.');
  if (item.interval === undefined) {
    plan.faults.push({ pointer: `${pointer}/interval`, code: 'required', message: 'is required.' });
    return undefined;
  }
  try {
    const interval = parseInterval(item.interval, `${pointer}/interval`);
    const zone = parseTimeZone(item.timezone ?? 'UTC', `${pointer}/timezone`);
    const isLong = interval.type === 'calendar' && ['month', 'quarter', 'year'].includes(interval.unit);
    return { type: 'histogram', starts: createBuckets(interval, zone), isEven: zone.isFixed && !isLong };
  } catch (error) {
    if (!(error instanceof Problem) || !error.members.errors) throw error;
    plan.faults.push(...error.members.errors);
    return undefined;
  }
}

function refuse(
  { faults }: Plan,
  item: AggregationItem,
  members: readonly ('size' | 'sort' | 'interval' | 'timezone')[],
  pointer: string,
  message: string,
): void {
  for (const member of members) {
    if (item[member] !== undefined) {
      faults.push({ pointer: `${pointer}/${member}`, code: 'not-applicable', message });
    }
  }
}

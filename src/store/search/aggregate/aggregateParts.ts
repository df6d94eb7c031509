import { join, raw, type Sql, sql } from '../../../lib/sql.ts';
import type { MetricWord, PlannedItem } from './aggregateItem.ts';

/** Parts that the database computes; metrics are put together from these. */
type Part = 'docs' | 'values' | 'min' | 'max' | 'sum' | 'distinct' | 'percentiles' | 'missing';

const partsOf: Readonly<Record<MetricWord, readonly Part[]>> = {
  count: [],
  min: ['min'],
  max: ['max'],
  sum: ['sum'],
  avg: ['sum', 'values'],
  stats: ['values', 'min', 'max', 'sum'],
  cardinality: ['distinct'],
  percentiles: ['percentiles'],
  missing: ['missing'],
};

/** Merges of the parts of small groups into a large one; parts without a merge need all values at once. */
const merge: Readonly<Record<Part, 'sum' | 'min' | 'max' | undefined>> = {
  docs: 'sum',
  values: 'sum',
  min: 'min',
  max: 'max',
  sum: 'sum',
  distinct: undefined,
  percentiles: undefined,
  missing: 'sum',
};

const percents = [1, 5, 25, 50, 75, 95, 99];

/** True if every measure in the item's buckets can be merged from smaller groups. */
export function isMergeable(item: PlannedItem): boolean {
  return [item, ...item.measures].every((measure) =>
    needed(measure).every((part) => merge[part] !== undefined),
  );
}

/** The values that are measured, one row for each; `first` marks one row of each document. */
export type ValueSource = { value: Sql; first?: Sql };

/** Aggregates over those rows of a group that fulfil `rows`; the names of the columns begin with `prefix`. */
export function partColumns(
  item: PlannedItem,
  source: ValueSource | undefined,
  rows: readonly Sql[],
  prefix: string,
): Sql[] {
  const number = source && item.values?.number?.(source.value);
  const aggregates: Record<Part, () => Sql> = {
    docs: () => sql`count(*) ${where([...rows, ...(source?.first ? [source.first] : [])])}`,
    values: () => sql`count(${number}) ${where(rows)}`,
    min: () => sql`min(${number}) ${where(rows)}`,
    max: () => sql`max(${number}) ${where(rows)}`,
    sum: () => sql`sum(${number}) ${where(rows)}`,
    distinct: () => sql`count(distinct ${source?.value}) ${where(rows)}`,
    percentiles: () =>
      sql`percentile_cont(${percents.map((percent) => percent / 100)}::float8[])
        within group (order by ${number}::float8) ${where(rows)}`,
    missing: () => sql`count(*) ${where([...rows, sql`${source?.value} is null`])}`,
  };
  return needed(item).map((part) => sql`${aggregates[part]()} as ${raw(`${prefix}${part}`)}`);
}

export function mergedColumns(item: PlannedItem, prefix: string): Sql[] {
  return needed(item).map((part) => raw(`${merge[part]}(${prefix}${part}) as ${prefix}${part}`));
}

export function columnNames(item: PlannedItem, prefix: string): Sql[] {
  return needed(item).map((part) => raw(`${prefix}${part}`));
}

/** The metric as buckets are sorted by it; of nothing it is null, except a sum. */
export function sortColumn(word: MetricWord, prefix: string): Sql {
  switch (word) {
    case 'min':
    case 'max':
    case 'missing':
      return raw(`${prefix}${word}`);
    case 'count':
      return raw(`${prefix}docs`);
    case 'sum':
      return raw(`coalesce(${prefix}sum, 0)`);
    case 'avg':
      // As it is answered, so that equal averages are equal here; the bounds keep the conversion from failing.
      return raw(`least(greatest(${prefix}sum, -1e308), 1e308)::float8 / nullif(${prefix}values, 0)`);
    case 'cardinality':
      return raw(`${prefix}distinct`);
    case 'stats':
    case 'percentiles':
      throw new Error(`${word} has several values, and buckets cannot be sorted by them.`);
  }
}

/** The metrics of an item from the columns of a row; without a row, those of nothing. */
export function toMetrics(
  item: PlannedItem,
  row: Readonly<Record<string, unknown>>,
  prefix: string,
): [string, unknown][] {
  const number = (part: Part): number | null => {
    const value = row[`${prefix}${part}`] ?? null;
    return value === null ? null : Number(value);
  };
  const sum = number('sum') ?? 0;
  const values = number('values') ?? 0;
  const avg = values === 0 ? null : sum / values;
  const metrics: Record<Exclude<MetricWord, 'count'>, () => unknown> = {
    min: () => number('min'),
    max: () => number('max'),
    avg: () => avg,
    sum: () => sum,
    stats: () => ({ count: values, min: number('min'), max: number('max'), avg, sum }),
    cardinality: () => number('distinct') ?? 0,
    percentiles: () => toPercentiles(row[`${prefix}percentiles`]),
    missing: () => number('missing') ?? 0,
  };
  return [...item.words].flatMap((word) => (word === 'count' ? [] : [[word, metrics[word]()]]));
}

/** Every measure counts its documents, for a query of its own may leave some out. */
function needed({ words }: PlannedItem): Part[] {
  return ['docs', ...new Set([...words].flatMap((word) => partsOf[word]))];
}

function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? raw('') : sql`filter (where ${join(conditions, ' and ')})`;
}

function toPercentiles(values: unknown): Record<string, number | null> {
  const numbers = Array.isArray(values) ? values.map((value) => (value === null ? null : Number(value))) : [];
  return Object.fromEntries(percents.map((percent, index) => [percent.toFixed(1), numbers[index] ?? null]));
}

import { raw, type Sql } from '../../../lib/sql.ts';
import type { FieldValues } from './aggregateField.ts';
import type { PlannedItem } from './aggregateItem.ts';
import { columnNames } from './aggregateParts.ts';

/** An item with buckets, and the keys that these have. */
export type Level = { item: PlannedItem; key: Pick<FieldValues, 'sql' | 'isMany' | 'type' | 'group'> };

/** Items measured in the buckets of a level: the item itself, then the nested items without buckets. */
export function measuresOf({ item }: Level): PlannedItem[] {
  return [item, ...item.measures];
}

/** Prefix of the columns of a measure. Level 0 is the first; -1 is an item outside of any bucket. */
export function columnPrefix(level: number, measure: number): string {
  return `p${level + 1}_${measure}_`;
}

/** The key columns of the first levels. */
export function keyNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `k${index + 1}`);
}

/** The columns with what is measured on a level. */
export function partNames(level: Level, index: number, table = ''): Sql[] {
  return measuresOf(level).flatMap((measure, number) =>
    columnNames(measure, `${table}${columnPrefix(index, number)}`),
  );
}

/**
 * True if a full join found the row of a column that is never null or negative. The form keeps the planner from an
 * inner join, which it might run as a slow loop.
 */
export function isMatched(column: string): Sql {
  return raw(`coalesce(${column}, -1) >= 0`);
}

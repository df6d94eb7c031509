import { raw, type Sql } from '../../../lib/sql.ts';
import type { FieldValues } from './aggregateField.ts';
import type { PlannedItem } from './aggregateItem.ts';
import { columnNames } from './aggregateParts.ts';

/** An item with buckets, and the keys that these have. */
export type Level = { item: PlannedItem; key: Pick<FieldValues, 'sql' | 'isMany' | 'type' | 'group'> };

/** What is measured in the buckets of a level: the item itself, then the nested items without buckets. */
export function measuresOf({ item }: Level): PlannedItem[] {
  return [item, ...item.measures];
}

/** How the columns of a measure begin. Level 0 is the first; -1 is an item that is in no bucket. */
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
 * For a column that is never null and never negative: whether a full join has found its row. Written so that the
 * planner does not see that an inner or a left join would do: where it expects one row and there are thousands, it
 * would loop over these for each of thousands of others, which a full join is never done by.
 */
export function isMatched(column: string): Sql {
  return raw(`coalesce(${column}, -1) >= 0`);
}

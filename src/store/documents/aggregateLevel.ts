import type { FieldValues } from './aggregateField.ts';
import type { PlannedItem } from './aggregateItem.ts';

/** An item with buckets, and the keys that these have. */
export type Level = { item: PlannedItem; key: Pick<FieldValues, 'sql' | 'isMany' | 'type'> };

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

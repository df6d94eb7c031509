import type { Field } from '../../../query/lucene/mapping.ts';
import { fieldsOf, type Predicate } from '../../../query/lucene/predicate.ts';
import type { DocumentTable } from '../documents/documentTable.ts';

/** Hits of each ended month, at one version of the roll-ups of that month (`countExactly`). */
export type MonthCounts = Map<string, { version: string; count: number }>;

/** An empty list for the counts of a search, if what it finds changes only as alerts come and are retracted. */
export function keptCounts(
  { changing }: DocumentTable,
  predicate: Predicate,
  isHidden: boolean,
): { monthCounts?: MonthCounts } {
  const lasts = ({ path: [name] }: Field) => name !== undefined && !changing?.includes(name);
  return changing && isHidden && fieldsOf(predicate).every(lasts) ? { monthCounts: new Map() } : {};
}

import { type Sql, sql } from '../../lib/sql.ts';
import type { Field } from './mapping.ts';

/**
 * `condition` is true or false, never null. It is exact, or true for some rows too many: then `isExact` is false and
 * the rows have to pass the matcher as well. `narrow` lists sets of term hashes; a matching row has one of each set.
 */
export type SqlPredicate = {
  condition: Sql;
  isExact: boolean;
  narrow: readonly (readonly number[])[];
  /** One such set where the condition is as fast without it; useful only as one of several alternatives. */
  choice?: readonly number[];
};

export const always: SqlPredicate = { condition: sql`true`, isExact: true, narrow: [] };
export const never: SqlPredicate = { condition: sql`false`, isExact: true, narrow: [] };
export const exact = (condition: Sql): SqlPredicate => ({ condition, isExact: true, narrow: [] });

/** A field with a name pattern is searched in all members; the matcher rechecks. */
export function orMatcher(field: Field, condition: Sql): SqlPredicate {
  return { condition, isExact: isWhole(field), narrow: [] };
}

export function isWhole(field: Field): boolean {
  return field.glob === undefined || field.glob === '*' || field.glob === `${field.path.join('.')}.*`;
}

import { type Sql, sql } from '../../lib/sql.ts';
import type { Field } from './mapping.ts';
import type { TermHashes } from './sqlSource.ts';

/**
 * `condition` is true or false, never null. Unless `isExact`, it is true for some rows too many, and the matcher
 * rechecks. `narrow`: index conditions; a matching row passes all of them.
 */
export type SqlPredicate = {
  condition: Sql;
  isExact: boolean;
  narrow: readonly Narrow[];
  /** A condition that implies a match, holds for many of them, and is counted by an index without reading rows. */
  common?: Sql;
  /** Conditions that every match fulfils, cheapest to compare with a row. */
  early?: readonly Sql[];
  /**
   * An index condition for use inside an OR, where every branch needs one. On its own, `condition` is as fast without
   * it.
   */
  choice?: Narrow;
};

/**
 * Passed by rows with one of `hashes` and one of each list of `beside`, by those that fulfil one of `rows` (conditions
 * on other indexes), and by those that pass a whole list of `all`.
 */
export type Narrow = {
  hashes: readonly number[];
  beside?: readonly (readonly number[])[];
  rows?: readonly Sql[];
  all?: readonly (readonly Narrow[])[];
};

export const always: SqlPredicate = { condition: sql`true`, isExact: true, narrow: [] };
export const never: SqlPredicate = { condition: sql`false`, isExact: true, narrow: [] };

/** A field with a name pattern is searched in all members; the matcher rechecks. */
export function orMatcher(field: Field, condition: Sql): SqlPredicate {
  return { condition, isExact: isWhole(field), narrow: [] };
}

export function isWhole(field: Field): boolean {
  return field.glob === undefined || field.glob === '*' || field.glob === `${field.path.join('.')}.*`;
}

/** Matches rows that pass any of them, and some others, because the lists are merged. */
export function joinNarrows(narrows: readonly Narrow[]): Narrow {
  return {
    ...anyTerm(narrows.map(({ hashes, beside = [] }) => [hashes, ...beside])),
    rows: narrows.flatMap(({ rows }) => rows ?? []),
    all: narrows.flatMap(({ all }) => all ?? []),
  };
}

/** Passed by rows with one of several terms. Some without any pass too, because lists of different terms become one. */
export function anyTerm(terms: readonly TermHashes[]): Narrow {
  const count = Math.max(1, ...terms.map((lists) => lists.length));
  const [hashes = [], ...beside] = Array.from({ length: count }, (_, index) => [
    ...new Set(terms.flatMap((lists) => lists[index] ?? lists[0] ?? [])),
  ]);
  return beside.length > 0 ? { hashes, beside } : { hashes };
}

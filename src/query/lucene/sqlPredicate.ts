import { type Sql, sql } from '../../lib/sql.ts';
import type { Field } from './mapping.ts';
import type { TermHashes } from './sqlSource.ts';

/**
 * `condition` is true or false, never null. It is exact, or true for some rows too many: then `isExact` is false and
 * the rows have to pass the matcher as well. `narrow` lists what an index answers; a matching row passes each of it.
 */
export type SqlPredicate = {
  condition: Sql;
  isExact: boolean;
  narrow: readonly Narrow[];
  /** What many matches fulfil and an index counts without reading rows; whatever fulfils it matches. */
  common?: Sql;
  /** What every match fulfils and a row is compared with soonest. */
  early?: readonly Sql[];
  /** One such where the condition is as fast without it; useful only as one of several alternatives. */
  choice?: Narrow;
};

/**
 * A row passes if it has one of these term hashes and one of each list of `beside`, or fulfils one of `rows`, conditions that
 * other indexes answer, or passes everything in one list of `all`.
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

/** What passes one of several. */
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
  const [hashes = [], ...beside] = Array.from({ length: count }, (_, place) => [
    ...new Set(terms.flatMap((lists) => lists[place] ?? lists[0] ?? [])),
  ]);
  return beside.length > 0 ? { hashes, beside } : { hashes };
}

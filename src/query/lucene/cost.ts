import { invalidQuery } from './invalidQuery.ts';
import type { Field } from './mapping.ts';
import type { Predicate } from './predicate.ts';
import { isWhole } from './sqlPredicate.ts';
import { loopLength } from './wildcard.ts';

/**
 * Limits of `costOf` for database searches, and for queries tried on every alert as it happens (streams, filters of
 * bindings). A unit is about 10 microseconds with the largest alert.
 */
export const searchQueryBudget = 10_000;
export const streamQueryBudget = 1_500;

/** An estimate of the work that a query takes, made before it runs. Ordinary clauses cost 2 to 30. */
export function costOf(predicate: Predicate): number {
  switch (predicate.type) {
    case 'all':
    case 'none':
      return 0;
    case 'bool':
      // Beside something required, what is optional is never tested.
      return (
        sum(predicate.must) + sum(predicate.mustNot) + (predicate.must.length > 0 ? 0 : sum(predicate.should))
      );
    case 'exists':
    case 'is':
    case 'range':
    case 'decimalRange':
      return readCost(predicate.field);
    case 'terms':
      return readCost(predicate.field) + predicate.values.length / 16;
    case 'textRange': {
      const isClosed = predicate.lower !== undefined && predicate.upper !== undefined;
      return readCost(predicate.field) + (isClosed ? scanCost(predicate.field) : 0);
    }
    case 'phrase': {
      const { field, words, slop } = predicate;
      return readCost(field) + scanCost(field) * (slop === 0 ? 1 : 4 * words.length);
    }
    case 'prefix':
      return readCost(predicate.field) + scanCost(predicate.field);
    case 'wildcard':
      return readCost(predicate.field) + scanCost(predicate.field) * (1 + loopLength(predicate.parts));
    case 'regex':
      return readCost(predicate.field) + scanCost(predicate.field) * predicate.regex.weight;
  }
}

/**
 * The cost of a clause that simplifying cannot remove: everything but words and whole values, which share one read of a
 * field. `counted`: fields whose read is counted already.
 */
export function lastingCost(predicate: Predicate, counted: Set<Field>): number {
  if (predicate.type === 'terms') {
    if (counted.has(predicate.field)) return 0;
    counted.add(predicate.field);
    return readCost(predicate.field);
  }
  if (predicate.type !== 'bool') return costOf(predicate);
  let total = 0;
  for (const clause of predicate.should) total += lastingCost(clause, counted);
  return total;
}

/** Refuses a query above the limit. `dearest` is where its most expensive clause stands. */
export function checkCost(
  cost: number,
  limit: number,
  dearest: number,
  atLeast: 'more than' | '' = '',
): void {
  if (cost <= limit) return;
  throw invalidQuery(
    dearest,
    `the query costs ${atLeast && `${atLeast} `}${cost} and may cost ${limit}; name a field before each value, ` +
      'and use fewer wildcards and regular expressions, above all in meta',
  );
}

function sum(predicates: readonly Predicate[]): number {
  let total = 0;
  for (const predicate of predicates) total += costOf(predicate);
  return total;
}

/** To find the values of a field. Only dynamic objects can be large; a part of one has to be put together first. */
function readCost(field: Field): number {
  if (!field.isDynamic) return 2;
  if (!isWhole(field)) return 1_000;
  return field.glob === undefined ? 3 : 10;
}

/** To read the whole text of a field once. */
function scanCost(field: Field): number {
  if (field.isDynamic) return 250;
  return field.type === 'text' ? 40 : 3;
}

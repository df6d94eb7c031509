import { compile } from '../../query/lucene/compile.ts';
import { streamQueryBudget } from '../../query/lucene/cost.ts';
import { createMatcher, type Matcher } from '../../query/lucene/createMatcher.ts';
import { createPacedMatcher, type PacedMatcher } from '../../query/lucene/createPacedMatcher.ts';
import { parseQuery } from '../../query/lucene/parseQuery.ts';
import type { Predicate } from '../../query/lucene/predicate.ts';
import { alertTable } from './documents/alertTable.ts';

/**
 * Decides in memory what a search would find: synchronously, or paced for large alerts, yielding to the event loop.
 * `cost` is in the unit of `streamQueryBudget`.
 */
export type AlertMatcher = {
  readonly predicate: Predicate;
  readonly matches: Matcher;
  readonly matchesPaced: PacedMatcher;
  readonly cost: number;
};

const everything: AlertMatcher = {
  predicate: { type: 'all' },
  matches: () => true,
  matchesPaced: async () => true,
  cost: 0,
};

/** An empty query matches every alert. An invalid or too expensive one throws a problem. */
export function createAlertMatcher(query: string, now: number): AlertMatcher {
  if (query.trim() === '') return everything;
  const { predicate, cost } = compile(parseQuery(query), alertTable.mapping, now, streamQueryBudget);
  return { predicate, matches: createMatcher(predicate), matchesPaced: createPacedMatcher(predicate), cost };
}

import { compile } from '../../query/lucene/compile.ts';
import { streamQueryBudget } from '../../query/lucene/cost.ts';
import { createMatcher } from '../../query/lucene/matcher.ts';
import { parseQuery } from '../../query/lucene/parser.ts';
import type { Subject } from '../../query/lucene/subject.ts';
import { alertTable } from './alertTable.ts';

/** Decides in memory what a search would. `cost` is that of the query, in the unit of `streamQueryBudget`. */
export type AlertMatcher = { readonly matches: (subject: Subject) => boolean; readonly cost: number };

/** An empty query takes every alert. A bad one, or one too expensive to be tried on every alert, is a problem. */
export function createAlertMatcher(query: string, now: number): AlertMatcher {
  if (query.trim() === '') return { matches: () => true, cost: 0 };
  const { predicate, cost } = compile(parseQuery(query), alertTable.mapping, now, streamQueryBudget);
  return { matches: createMatcher(predicate), cost };
}

import { createMatcher } from '../../query/lucene/matcher.ts';
import { parseQuery } from '../../query/lucene/parser.ts';
import { resolve } from '../../query/lucene/resolve.ts';
import type { Subject } from '../../query/lucene/subject.ts';
import { alertTable } from './alertTable.ts';

/** Decides in memory what a search would: an empty query takes every alert, a bad one is a problem. */
export function createAlertMatcher(query: string, now: number): (subject: Subject) => boolean {
  if (query.trim() === '') return () => true;
  return createMatcher(resolve(parseQuery(query), alertTable.mapping, now));
}

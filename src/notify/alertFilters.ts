import { createMatcher, type Matcher } from '../query/lucene/matcher.ts';
import { parseQuery } from '../query/lucene/parser.ts';
import { resolve } from '../query/lucene/resolve.ts';
import { createSubject, type Subject } from '../query/lucene/subject.ts';
import { alertTable } from '../store/alerts/alertTable.ts';

/** Tells whether alerts pass query strings; every query and every alert is prepared once. */
export function createAlertFilters(now: number): (query: string, alert: object) => boolean {
  const matchers = new Map<string, Matcher>();
  const subjects = new Map<object, Subject>();
  return (query, alert) => {
    const matches = matchers.get(query) ?? toMatcher(query, now);
    matchers.set(query, matches);
    const subject = subjects.get(alert) ?? createSubject(alert);
    subjects.set(alert, subject);
    return matches(subject);
  };
}

function toMatcher(query: string, now: number): Matcher {
  if (query.trim() === '') return () => true;
  try {
    return createMatcher(resolve(parseQuery(query), alertTable.mapping, now));
  } catch {
    // It was read when it was saved; should that ever change, a message too many is better than one too few.
    return () => true;
  }
}

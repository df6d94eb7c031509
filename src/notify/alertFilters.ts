import type { Matcher } from '../query/lucene/matcher.ts';
import { createSubject, type Subject } from '../query/lucene/subject.ts';
import { createAlertMatcher } from '../store/alerts/alertMatcher.ts';

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
  try {
    return createAlertMatcher(query, now).matches;
  } catch {
    // It was read when it was saved; should that ever change, a message too many is better than one too few.
    return () => true;
  }
}

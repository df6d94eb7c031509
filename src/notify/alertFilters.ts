import { yieldToEventLoop } from '../lib/eventLoop.ts';
import type { PacedMatcher } from '../query/lucene/createPacedMatcher.ts';
import { createSubject, type Subject } from '../query/lucene/createSubject.ts';
import { createAlertMatcher } from '../store/alerts/createAlertMatcher.ts';

/** Decides whether alerts pass query strings, giving way in between; every query and every alert is prepared once. */
export function createAlertFilters(now: number): (query: string, alert: object) => Promise<boolean> {
  const matchers = new Map<string, PacedMatcher>();
  const subjects = new Map<object, Subject>();
  return async (query, alert) => {
    const matches = matchers.get(query) ?? toMatcher(query, now);
    matchers.set(query, matches);
    const subject = subjects.get(alert) ?? createSubject(alert);
    subjects.set(alert, subject);
    return matches(subject, yieldToEventLoop);
  };
}

function toMatcher(query: string, now: number): PacedMatcher {
  try {
    return createAlertMatcher(query, now).matchesPaced;
  } catch {
    // It was read when it was saved; should that ever change, a message too many is better than one too few.
    return async () => true;
  }
}

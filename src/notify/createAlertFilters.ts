import { yieldToEventLoop } from '../lib/eventLoop.ts';
import type { PacedMatcher } from '../query/lucene/createPacedMatcher.ts';
import { createSubject, type Subject } from '../query/lucene/createSubject.ts';
import { createAlertMatcher } from '../store/search/createAlertMatcher.ts';

export type AlertFilters = {
  /** True if the query finds the alert. */
  passes: (query: string, alert: object, pause?: () => Promise<void>) => Promise<boolean>;
  /** The alert as matchers read it. */
  subjectOf: (alert: object) => Subject;
};

/** Matches alerts against query strings, yielding to other work in between; prepares every query and every alert once. */
export function createAlertFilters(now: number): AlertFilters {
  const matchers = new Map<string, PacedMatcher>();
  const subjects = new Map<object, Subject>();
  const subjectOf = (alert: object) => {
    const subject = subjects.get(alert) ?? createSubject(alert);
    subjects.set(alert, subject);
    return subject;
  };
  return {
    subjectOf,
    passes: async (query, alert, pause = yieldToEventLoop) => {
      const matches = matchers.get(query) ?? toMatcher(query, now);
      matchers.set(query, matches);
      return matches(subjectOf(alert), pause);
    },
  };
}

function toMatcher(query: string, now: number): PacedMatcher {
  try {
    return createAlertMatcher(query, now).matchesPaced;
  } catch {
    // It was valid when it was saved; if that ever changes, an extra message is better than a missing one.
    return async () => true;
  }
}

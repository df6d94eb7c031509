import type { PacedMatcher } from '../../query/lucene/createPacedMatcher.ts';
import { createAlertMatcher } from '../../store/search/createAlertMatcher.ts';
import { type Guard, guardOf } from './guardOf.ts';

export type CompiledQuery = {
  readonly guard: Guard | undefined;
  /** The matcher for a moment: a query may compare with the present time. */
  readonly matcherAt: (now: number) => PacedMatcher;
};

export function compileQuery(query: string, now: number): CompiledQuery {
  try {
    const { predicate, matchesPaced } = createAlertMatcher(query, now);
    const guard = guardOf(predicate);
    if (!query.includes('now')) return { guard, matcherAt: () => matchesPaced };
    // The alerts of a transaction are decided at one moment.
    let last = { at: now, matches: matchesPaced };
    const matcherAt = (at: number) => {
      if (last.at !== at) last = { at, matches: createAlertMatcher(query, at).matchesPaced };
      return last.matches;
    };
    return { guard, matcherAt };
  } catch {
    // It was valid when it was saved. If that ever changes, it finds nothing.
    return { guard: undefined, matcherAt: () => async () => false };
  }
}

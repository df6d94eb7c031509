import type { PacedMatcher } from '../../query/lucene/createPacedMatcher.ts';
import { compileTimeSet } from '../../query/timeSets/timeSet.ts';
import type { OpenSilence } from '../../store/destinations/silences.ts';
import { createAlertMatcher } from '../../store/search/createAlertMatcher.ts';
import type { SilenceRule } from '../decideNotification.ts';
import { type Guard, guardOf } from './guardOf.ts';

export type CompiledSilence = SilenceRule & {
  guard: Guard | undefined;
  /** The matcher for a moment: a query may compare with the present time. */
  matcherAt: (now: number) => PacedMatcher;
};

export function compileSilence({ query, timeSet, ...silence }: OpenSilence, now: number): CompiledSilence {
  const rule = { ...silence, timeSet: timeSet ? compileTimeSet(timeSet) : undefined };
  try {
    const { predicate, matchesPaced } = createAlertMatcher(query, now);
    const guard = guardOf(predicate);
    if (!query.includes('now')) return { ...rule, guard, matcherAt: () => matchesPaced };
    // The alerts of a transaction are decided at one moment.
    let last = { at: now, matches: matchesPaced };
    const matcherAt = (at: number) => {
      if (last.at !== at) last = { at, matches: createAlertMatcher(query, at).matchesPaced };
      return last.matches;
    };
    return { ...rule, guard, matcherAt };
  } catch {
    // It was valid when it was saved. If that ever changes, it hides nothing.
    return { ...rule, guard: undefined, matcherAt: () => async () => false };
  }
}

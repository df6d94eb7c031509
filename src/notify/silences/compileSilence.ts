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
    const isTimed = query.includes('now');
    return {
      ...rule,
      guard: guardOf(predicate),
      matcherAt: isTimed ? (at) => createAlertMatcher(query, at).matchesPaced : () => matchesPaced,
    };
  } catch {
    // It was valid when it was saved. If that ever changes, it hides nothing.
    return { ...rule, guard: undefined, matcherAt: () => async () => false };
  }
}

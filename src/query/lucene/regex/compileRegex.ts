import type { Budget } from './budget.ts';
import { buildNfa } from './nfa.ts';
import { parseRegex } from './parse.ts';
import { createSubsets } from './subsets.ts';

/** Tests whole values. The time for one is bounded by its length times the states of the pattern. */
export type Regex = { readonly test: (value: string) => boolean };

/** Throws `RegexSyntaxError` or `RegexTooComplexError`; after that, testing never fails. */
export function compileRegex(pattern: string, budget: Budget): Regex {
  const nfa = buildNfa(parseRegex(pattern), budget);
  const subsets = createSubsets(nfa);
  const maxWeight = 10_000 + 50 * nfa.moves.length;

  const test = (value: string): boolean => {
    let set = 0;
    for (let at = 0; at < value.length; at++) {
      const codePoint = value.codePointAt(at)!;
      if (codePoint > 0xffff) at += 1;
      set = subsets.step(set, subsets.classOf(codePoint));
      if (subsets.size(set) === 0) return false;
      if (subsets.weight() > maxWeight) set = subsets.forgetAllBut(set);
    }
    return subsets.accepts(set);
  };
  return { test };
}

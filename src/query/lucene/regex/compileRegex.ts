import type { Budget } from './budget.ts';
import { buildNfa } from './nfa.ts';
import { parseRegex } from './parse.ts';
import { createSubsets, type Subsets } from './subsets.ts';

/** Tests whole values. The time for one is bounded by its length times the states of the pattern. */
export type Regex = {
  readonly test: (value: string) => boolean;
  /** How much longer a test takes, at the worst, than reading the value once. */
  readonly weight: number;
};

/** Throws `RegexSyntaxError` or `RegexTooComplexError`; after that, testing never fails. */
export function compileRegex(pattern: string, budget: Budget): Regex {
  const nfa = buildNfa(parseRegex(pattern), budget);
  const subsets = createSubsets(nfa);
  const isKept = completes(subsets, budget);
  const maxWeight = isKept ? Number.POSITIVE_INFINITY : 10_000 + 50 * nfa.moves.length;

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
  return { test, weight: isKept ? 1 : 2 + nfa.moves.length };
}

const keptSets = 250;

/** Finds all sets if they are few: they are then kept, and a character is one step whatever the value. */
function completes(subsets: Subsets, budget: Budget): boolean {
  const width = subsets.classStarts.length;
  for (let set = 0; set < subsets.count(); set++) {
    budget.steps -= width * (1 + subsets.size(set) / 8);
    if (set >= keptSets || budget.steps < 0) return false;
    for (let index = 0; index < width; index++) subsets.step(set, index);
  }
  return true;
}

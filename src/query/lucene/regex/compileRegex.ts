import { type Automaton, createAutomaton } from './automaton.ts';
import type { Budget } from './budget.ts';
import { buildNfa } from './buildNfa.ts';
import { createSubsets, type Subsets } from './createSubsets.ts';
import { parseRegex } from './parseRegex.ts';

/** Tests whole values. The time for one is bounded by its length times the states of the pattern. */
export type Regex = Automaton & {
  /** Worst time of a test, as a multiple of reading the value once. */
  readonly weight: number;
};

/** Throws `RegexSyntaxError` or `RegexTooComplexError`; after that, testing never fails. */
export function compileRegex(pattern: string, budget: Budget): Regex {
  const nfa = buildNfa(parseRegex(pattern), budget);
  const subsets = createSubsets(nfa);
  const isKept = completes(subsets, budget);
  return { ...createAutomaton(nfa, subsets, isKept), weight: isKept ? 1 : 2 + nfa.states.length };
}

/** A pattern of 1,000 characters without alternatives has as many; the steps of the budget bound how large they are. */
const keptSets = 1_024;

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

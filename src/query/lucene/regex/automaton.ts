import { createSubsets, type Nfa, type Subsets } from './subsets.ts';

export type Automaton = {
  /** Whether it accepts the whole value. */
  readonly test: (value: string) => boolean;
  /** Whether it accepts a word of a text; `isPlain` says how words are separated. */
  readonly someWord: (text: string, isPlain: boolean) => boolean;
};

/** Its sets are found as values are read. Unless they are few, those found are forgotten from time to time. */
export function createAutomaton(nfa: Nfa, subsets: Subsets, hasFewSets: boolean): Automaton {
  const maxWeight = hasFewSets ? Number.POSITIVE_INFINITY : 10_000 + 50 * nfa.moves.length;
  const { step, classOf, size, accepts } = subsets;
  const next = (set: number, codePoint: number): number => {
    const found = step(set, classOf(codePoint));
    return subsets.weight() > maxWeight ? subsets.forgetAllBut(found) : found;
  };
  return {
    test: (value) => {
      let set = 0;
      for (let at = 0; at < value.length; at++) {
        const codePoint = value.codePointAt(at)!;
        if (codePoint > 0xffff) at += 1;
        set = next(set, codePoint);
        if (size(set) === 0) return false;
      }
      return accepts(set);
    },
    someWord: (text, isPlain) => {
      let set = 0;
      let isInWord = false;
      let isOver = false;
      for (let at = 0; at < text.length; at++) {
        const codePoint = text.codePointAt(at)!;
        if (codePoint > 0xffff) at += 1;
        if (isPlain ? separators[codePoint] === 1 : codePoint === space) {
          if (isInWord && !isOver && accepts(set)) return true;
          set = 0;
          isInWord = false;
          isOver = false;
        } else if (!isOver) {
          isInWord = true;
          set = next(set, codePoint);
          isOver = size(set) === 0;
        }
      }
      return isInWord && !isOver && accepts(set);
    },
  };
}

const space = 0x20;
/** What is neither letter nor digit in ASCII, of which plain texts are. */
const separators = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9]/.test(String.fromCharCode(code)) ? 0 : 1,
);

export function createWholeAutomaton(nfa: Nfa): Automaton {
  return createAutomaton(nfa, createSubsets(nfa), true);
}

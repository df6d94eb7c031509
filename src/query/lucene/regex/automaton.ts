import { createSubsets, type Nfa, type Subsets } from './createSubsets.ts';

export type Automaton = {
  /** True if it accepts the whole value. */
  readonly test: (value: string) => boolean;
  /** True if it accepts a word of a text, whose words are separated by spaces and line feeds. */
  readonly someWord: (text: string) => boolean;
};

/** Its sets are found as values are read. Unless they are few, those found are forgotten from time to time. */
export function createAutomaton(nfa: Nfa, subsets: Subsets, hasFewSets: boolean): Automaton {
  const maxWeight = hasFewSets ? Number.POSITIVE_INFINITY : 10_000 + 50 * nfa.states.length;
  const { step, classOf, accepts } = subsets;
  const next = (set: number, codePoint: number): number => {
    const next = step(set, classOf(codePoint));
    return subsets.weight() > maxWeight ? subsets.forgetAllBut(next) : next;
  };
  return {
    test: (value) => {
      let rows = subsets.rows();
      let dead = subsets.dead();
      let set = 0;
      for (let index = 0; index < value.length; index++) {
        const codePoint = codePointAt(value, index);
        if (codePoint > 0xffff) index += 1;
        const cached = rows[set]![classOf(codePoint)]!;
        if (cached !== -1) {
          set = cached;
        } else {
          set = next(set, codePoint);
          rows = subsets.rows();
          dead = subsets.dead();
        }
        if (set === dead) return false;
      }
      return accepts(set);
    },
    someWord: (text) => {
      let rows = subsets.rows();
      let dead = subsets.dead();
      let set = 0;
      let isInWord = false;
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        if (unit <= space) {
          if (isInWord && accepts(set)) return true;
          set = 0;
          isInWord = false;
          continue;
        }
        isInWord = true;
        const codePoint = codePointAt(text, index);
        if (codePoint > 0xffff) index += 1;
        const cached = rows[set]![classOf(codePoint)]!;
        if (cached !== -1) {
          set = cached;
        } else {
          set = next(set, codePoint);
          rows = subsets.rows();
          dead = subsets.dead();
        }
        if (set === dead) {
          // Nothing can follow; go on with the next word.
          const end = text.indexOf(' ', index + 1);
          if (end === -1) return false;
          index = end;
          set = 0;
          isInWord = false;
        }
      }
      return isInWord && accepts(set);
    },
  };
}

const space = 0x20;

function codePointAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return (unit & 0xf800) === 0xd800 ? text.codePointAt(index)! : unit;
}

export function createWholeAutomaton(nfa: Nfa): Automaton {
  return createAutomaton(nfa, createSubsets(nfa), true);
}

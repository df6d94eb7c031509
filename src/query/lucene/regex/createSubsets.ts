import { maxCodePoint } from './tree.ts';

/** Leads to the state `target` at any code point from `first` to `last`. */
export type Move = { readonly first: number; readonly last: number; readonly target: number };

/** A state is its index; `jumps` are the states reached without reading anything. */
export type Nfa = {
  readonly start: number;
  readonly accept: number;
  readonly states: readonly { readonly moves: readonly Move[]; readonly jumps: readonly number[] }[];
};

/**
 * The sets of states in which an automaton can be at once, computed on demand. Code points that no move
 * distinguishes share a class. Set 0 is the start.
 */
export type Subsets = {
  /** The first code point of each class, ascending from 0. */
  readonly classStarts: readonly number[];
  readonly classOf: (codePoint: number) => number;
  readonly step: (set: number, classIndex: number) => number;
  /** The cached results of `step` for each set and class, -1 where there is none. Read it again after each new step. */
  readonly rows: () => readonly Int32Array[];
  /** The set from which no other is reached, -1 while it was not met. */
  readonly dead: () => number;
  readonly accepts: (set: number) => boolean;
  readonly size: (set: number) => number;
  readonly count: () => number;
  /** Entries held in memory. */
  readonly weight: () => number;
  /** Forgets every set but this one, whose new number it gives; the start keeps its number. */
  readonly forgetAllBut: (set: number) => number;
};

export function createSubsets(nfa: Nfa): Subsets {
  const classStarts = findClassStarts(nfa);
  const classOf = createClassOf(classStarts);
  const states = nfa.states.map(({ moves, jumps }) => ({ moves: moves.map(toClasses), jumps }));
  const marks = new Float64Array(states.length);
  const reached = new Uint16Array(states.length);
  let foundCount = 0;
  let mark = 1;
  let sets: Uint16Array[] = [];
  let steps: Int32Array[] = [];
  let indexes = new Map<string, number>();
  let weight = 0;
  let dead = -1;
  reach(nfa.start);
  const start = close();
  keep(start);

  return {
    classStarts,
    classOf,
    step: (set, classIndex) => {
      const row = steps[set]!;
      const cached = row[classIndex]!;
      if (cached !== -1) return cached;
      const next = keep(follow(sets[set]!, classIndex));
      row[classIndex] = next;
      return next;
    },
    rows: () => steps,
    dead: () => dead,
    accepts: (set) => sets[set]![0] === nfa.accept,
    size: (set) => sets[set]!.length,
    count: () => sets.length,
    weight: () => weight,
    forgetAllBut: (set) => {
      const kept = sets[set]!;
      sets = [];
      steps = [];
      indexes = new Map();
      weight = 0;
      dead = -1;
      keep(start);
      return keep(kept);
    },
  };

  function toClasses({ first, last, target }: Move): Move {
    return { first: classOf(first), last: classOf(last), target };
  }

  function follow(set: Uint16Array, classIndex: number): Uint16Array {
    mark += 1;
    for (const state of set) {
      for (const { first, last, target } of states[state]!.moves) {
        if (first <= classIndex && classIndex <= last) reach(target);
      }
    }
    return close();
  }

  function reach(state: number): void {
    if (marks[state] === mark) return;
    marks[state] = mark;
    reached[foundCount] = state;
    foundCount += 1;
  }

  /**
   * All states reached, by jumps as well. Those that only jump are left out; the accepting state is 0 and sorts first.
   */
  function close(): Uint16Array {
    let kept = 0;
    for (let index = 0; index < foundCount; index++) {
      const state = reached[index]!;
      const { moves, jumps } = states[state]!;
      for (const target of jumps) reach(target);
      if (state === nfa.accept || moves.length > 0) {
        reached[kept] = state;
        kept += 1;
      }
    }
    foundCount = 0;
    return reached.slice(0, kept).sort();
  }

  function keep(set: Uint16Array): number {
    const key: string =
      set.length <= shortSet
        ? Reflect.apply(String.fromCharCode, undefined, set)
        : Buffer.from(set.buffer, set.byteOffset, set.byteLength).toString('utf16le');
    const cached = indexes.get(key);
    if (cached !== undefined) return cached;
    weight += set.length + classStarts.length + 10;
    sets.push(set);
    steps.push(new Int32Array(classStarts.length).fill(-1));
    indexes.set(key, sets.length - 1);
    if (set.length === 0) dead = sets.length - 1;
    return sets.length - 1;
  }
}

/** A text of so few units is sooner made without a buffer. */
const shortSet = 64;

function findClassStarts(nfa: Nfa): number[] {
  const starts = new Set([0]);
  for (const { moves } of nfa.states) {
    for (const { first, last } of moves) {
      starts.add(first);
      if (last < maxCodePoint) starts.add(last + 1);
    }
  }
  return Array.from(starts).sort((a, b) => a - b);
}

function createClassOf(classStarts: readonly number[]): (codePoint: number) => number {
  const search = (codePoint: number): number => {
    let low = 0;
    let high = classStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (classStarts[middle]! <= codePoint) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const ascii = Uint16Array.from({ length: 128 }, (_, codePoint) => search(codePoint));
  return (codePoint) => (codePoint < 128 ? ascii[codePoint]! : search(codePoint));
}

import { type Budget, spend } from './budget.ts';
import { createSubsets, type Nfa } from './subsets.ts';
import { maxCodePoint, type RegexNode } from './tree.ts';

/**
 * Everything but complement and intersection is put together from parts; those two are worked out on automata that
 * are made deterministic first, and put in like any other part.
 */
export function buildNfa(node: RegexNode, budget: Budget): Nfa {
  const moves: number[][] = [];
  const jumps: number[][] = [];
  const accept = addState();
  const start = add(node, accept);
  return { start, accept, moves, jumps };

  function addState(): number {
    spend(budget, 1);
    moves.push([]);
    jumps.push([]);
    return moves.length - 1;
  }

  /** Adds what reads `node` and then goes on at `target`; gives its first state. */
  function add(node: RegexNode, target: number): number {
    switch (node.type) {
      case 'nothing':
        return addState();
      case 'set': {
        const state = addState();
        for (let i = 0; i < node.ranges.length; i += 2) {
          moves[state]!.push(node.ranges[i]!, node.ranges[i + 1]!, target);
        }
        return state;
      }
      case 'sequence':
        return node.parts.reduceRight((next, part) => add(part, next), target);
      case 'union': {
        const state = addState();
        for (const option of node.options) jumps[state]!.push(add(option, target));
        return state;
      }
      case 'repeat':
        return addRepeat(node.of, node.min, node.max, target);
      case 'complement':
        return addDfa(complement(determinize(node.of, budget)), target);
      case 'intersection':
        return addDfa(
          node.parts.map((part) => determinize(part, budget)).reduce((a, b) => intersect(a, b, budget)),
          target,
        );
    }
  }

  function addRepeat(of: RegexNode, min: number, max: number | undefined, target: number): number {
    let next = target;
    if (max === undefined) {
      next = addState();
      jumps[next]!.push(add(of, next), target);
    } else {
      for (let count = min; count < max; count++) {
        const option = addState();
        jumps[option]!.push(add(of, next), target);
        next = option;
      }
    }
    for (let count = 0; count < min; count++) {
      spend(budget, 1);
      next = add(of, next);
    }
    return next;
  }

  function addDfa(dfa: Dfa, target: number): number {
    const states = dfa.accepts.map(() => addState());
    dfa.moves.forEach((row, from) => {
      for (let i = 0; i < row.length; i += 3) {
        moves[states[from]!]!.push(row[i]!, row[i + 1]!, states[row[i + 2]!]!);
      }
      if (dfa.accepts[from]) jumps[states[from]!]!.push(target);
    });
    return states[0]!;
  }
}

/** Starts at state 0; every row of moves covers all code points in order. */
type Dfa = { readonly moves: readonly (readonly number[])[]; readonly accepts: readonly boolean[] };

function determinize(node: RegexNode, budget: Budget): Dfa {
  const subsets = createSubsets(buildNfa(node, budget));
  const moves: number[][] = [];
  for (let state = 0; state < subsets.count(); state++) {
    spend(budget, 1 + Math.floor(((1 + subsets.size(state)) * subsets.classStarts.length) / 16));
    const row: number[] = [];
    for (let index = 0; index < subsets.classStarts.length; index++) {
      const last = (subsets.classStarts[index + 1] ?? maxCodePoint + 1) - 1;
      pushMove(row, subsets.classStarts[index]!, last, subsets.step(state, index));
    }
    moves.push(row);
  }
  return { moves, accepts: moves.map((_, state) => subsets.accepts(state)) };
}

function complement(dfa: Dfa): Dfa {
  return { moves: dfa.moves, accepts: dfa.accepts.map((accepts) => !accepts) };
}

/** Walks both at once; a state is a pair of states. */
function intersect(a: Dfa, b: Dfa, budget: Budget): Dfa {
  const pairs: [number, number][] = [[0, 0]];
  const indexes = new Map([[0, 0]]);
  const moves: number[][] = [];
  for (let from = 0; from < pairs.length; from++) {
    const [left, right] = pairs[from]!;
    spend(budget, 1 + Math.floor((a.moves[left]!.length + b.moves[right]!.length) / 48));
    const row: number[] = [];
    for (const [first, last, toLeft, toRight] of commonMoves(a.moves[left]!, b.moves[right]!)) {
      const key = toLeft * b.moves.length + toRight;
      const to = indexes.get(key) ?? pairs.push([toLeft, toRight]) - 1;
      indexes.set(key, to);
      pushMove(row, first, last, to);
    }
    moves.push(row);
  }
  return { moves, accepts: pairs.map(([left, right]) => a.accepts[left]! && b.accepts[right]!) };
}

/** Neighbouring code points that lead to the same state become one move. */
function pushMove(row: number[], first: number, last: number, target: number): void {
  if (row.length > 0 && row.at(-1) === target) row[row.length - 2] = last;
  else row.push(first, last, target);
}

function* commonMoves(
  a: readonly number[],
  b: readonly number[],
): Generator<readonly [number, number, number, number]> {
  let first = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const last = Math.min(a[i + 1]!, b[j + 1]!);
    yield [first, last, a[i + 2]!, b[j + 2]!];
    if (a[i + 1] === last) i += 3;
    if (b[j + 1] === last) j += 3;
    first = last + 1;
  }
}

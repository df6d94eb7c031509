import { itemAt } from '../../../lib/itemAt.ts';
import { zip } from '../../../lib/zip.ts';
import { type Budget, spend } from './budget.ts';
import { createSubsets, type Move, type Nfa } from './createSubsets.ts';
import { maxCodePoint, type RegexNode } from './tree.ts';

/**
 * Everything but complement and intersection is put together from parts; those two are worked out on automata that
 * are made deterministic first, and put in like any other part.
 */
export function buildNfa(node: RegexNode, budget: Budget): Nfa {
  const states: State[] = [];
  const accept = addState();
  const start = add(node, accept);
  return { start: start.index, accept: accept.index, states };

  function addState(): State {
    spend(budget, 1);
    const state: State = { index: states.length, moves: [], jumps: [] };
    states.push(state);
    return state;
  }

  /** Adds what reads `node` and then goes on at `target`; returns its first state. */
  function add(node: RegexNode, target: State): State {
    switch (node.type) {
      case 'nothing':
        return addState();
      case 'set': {
        const state = addState();
        for (const { first, last } of node.ranges) state.moves.push({ first, last, target: target.index });
        return state;
      }
      case 'sequence':
        return node.parts.reduceRight((next, part) => add(part, next), target);
      case 'union': {
        const state = addState();
        for (const option of node.options) state.jumps.push(add(option, target).index);
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

  function addRepeat(of: RegexNode, min: number, max: number | undefined, target: State): State {
    let next = target;
    if (max === undefined) {
      next = addState();
      next.jumps.push(add(of, next).index, target.index);
    } else {
      for (let count = min; count < max; count++) {
        const option = addState();
        option.jumps.push(add(of, next).index, target.index);
        next = option;
      }
    }
    for (let count = 0; count < min; count++) {
      spend(budget, 1);
      next = add(of, next);
    }
    return next;
  }

  function addDfa(dfa: Dfa, target: State): State {
    const added = dfa.map(() => addState());
    for (const [state, { moves, accepts }] of zip(added, dfa)) {
      for (const { first, last, target } of moves)
        state.moves.push({ first, last, target: itemAt(added, target).index });
      if (accepts) state.jumps.push(target.index);
    }
    return itemAt(added, 0);
  }
}

type State = { readonly index: number; readonly moves: Move[]; readonly jumps: number[] };

/** Starts at its first state; the moves of every state cover all code points in order. */
type Dfa = readonly { readonly moves: readonly Move[]; readonly accepts: boolean }[];

function determinize(node: RegexNode, budget: Budget): Dfa {
  const subsets = createSubsets(buildNfa(node, budget));
  const { classStarts } = subsets;
  const states: Dfa[number][] = [];
  for (let state = 0; state < subsets.count(); state++) {
    spend(budget, 1 + Math.floor(((1 + subsets.size(state)) * classStarts.length) / 16));
    const moves: Writable<Move>[] = [];
    for (const [index, first] of classStarts.entries()) {
      const last = (classStarts[index + 1] ?? maxCodePoint + 1) - 1;
      addMove(moves, first, last, subsets.step(state, index));
    }
    states.push({ moves, accepts: subsets.accepts(state) });
  }
  return states;
}

function complement(dfa: Dfa): Dfa {
  return dfa.map(({ moves, accepts }) => ({ moves, accepts: !accepts }));
}

/** Walks both at once; a state is a pair of states. */
function intersect(a: Dfa, b: Dfa, budget: Budget): Dfa {
  const pairs = [{ left: itemAt(a, 0), right: itemAt(b, 0) }];
  const indexes = new Map([[0, 0]]);
  const states: Dfa[number][] = [];
  for (const { left, right } of pairs) {
    spend(budget, 1 + Math.floor((left.moves.length + right.moves.length) / 16));
    const moves: Writable<Move>[] = [];
    for (const { first, last, toLeft, toRight } of commonMoves(left.moves, right.moves)) {
      const key = toLeft * b.length + toRight;
      const to = indexes.get(key) ?? pairs.push({ left: itemAt(a, toLeft), right: itemAt(b, toRight) }) - 1;
      indexes.set(key, to);
      addMove(moves, first, last, to);
    }
    states.push({ moves, accepts: left.accepts && right.accepts });
  }
  return states;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Neighbouring code points that lead to the same state become one move. */
function addMove(moves: Writable<Move>[], first: number, last: number, target: number): void {
  const previous = moves.at(-1);
  if (previous?.target === target) previous.last = last;
  else moves.push({ first, last, target });
}

type CommonMove = { first: number; last: number; toLeft: number; toRight: number };

function* commonMoves(a: readonly Move[], b: readonly Move[]): Generator<CommonMove> {
  let first = 0;
  for (let i = 0, j = 0; ; ) {
    const [left, right] = [a[i], b[j]];
    if (!left || !right) return;
    const last = Math.min(left.last, right.last);
    yield { first, last, toLeft: left.target, toRight: right.target };
    if (left.last === last) i += 1;
    if (right.last === last) j += 1;
    first = last + 1;
  }
}

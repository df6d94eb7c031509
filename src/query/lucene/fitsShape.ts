import { anyShape, digits, hexDigits, lettersAndDigits } from '../wordEntry.ts';
import { buildNfa } from './regex/buildNfa.ts';
import type { Nfa } from './regex/createSubsets.ts';
import { RegexTooComplexError } from './regex/errors.ts';
import {
  anyCharacter,
  type CodePointRange,
  firstCodePoint,
  joinRanges,
  literal,
  type RegexNode,
} from './regex/tree.ts';

/** True if a word of one of these shapes may fit a pattern, or if that would take long to find out. */
export function fitsShape(pattern: RegexNode, shapes: readonly string[]): boolean {
  if (shapes.length === 0) return false;
  const shape: RegexNode = { type: 'union', options: shapes.map(shapeNode) };
  try {
    const both: RegexNode = { type: 'intersection', parts: [pattern, shape] };
    return acceptsAny(buildNfa(both, { left: maxStates, steps: 0 }));
  } catch (error) {
    if (error instanceof RegexTooComplexError) return true;
    throw error;
  }
}

const maxStates = 5_000;

const kinds: Readonly<Record<string, readonly [string, string][]>> = {
  [digits]: [['0', '9']],
  [hexDigits]: [
    ['0', '9'],
    ['A', 'F'],
    ['a', 'f'],
  ],
  [lettersAndDigits]: [
    ['0', '9'],
    ['A', 'Z'],
    ['a', 'z'],
  ],
};

function shapeNode(shape: string): RegexNode {
  return {
    type: 'sequence',
    parts: Array.from(shape, (character): RegexNode => {
      if (character === anyShape) return { type: 'repeat', of: anyCharacter, min: 0, max: undefined };
      const kind = kinds[character];
      if (!kind) return literal(character);
      const ranges = kind.map(
        ([first, last]): CodePointRange => ({ first: firstCodePoint(first), last: firstCodePoint(last) }),
      );
      return { type: 'repeat', of: { type: 'set', ranges: joinRanges(ranges) }, min: 1, max: undefined };
    }),
  };
}

/** True if it can get from its start to its end at all. */
function acceptsAny({ start, accept, states }: Nfa): boolean {
  const reached = new Set([start]);
  for (const state of reached) {
    const { moves = [], jumps = [] } = states[state] ?? {};
    for (const { target } of moves) reached.add(target);
    for (const target of jumps) reached.add(target);
  }
  return reached.has(accept);
}

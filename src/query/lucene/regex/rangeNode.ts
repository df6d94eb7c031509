import type { TextBound } from '../predicate.ts';
import { anyCharacter, firstCodePoint, maxCodePoint, oneOf, type RegexNode } from './tree.ts';

/** The texts between two bounds in the order of code points, as a regular expression. */
export function rangeNode(lower: TextBound | undefined, upper: TextBound | undefined): RegexNode {
  const from = Array.from(lower?.text ?? '', firstCodePoint);
  const to = upper && Array.from(upper.text, firstCodePoint);
  return between(
    { points: from, isInclusive: lower?.isInclusive ?? true },
    to && { points: to, isInclusive: upper.isInclusive },
  );
}

type Bound = { readonly points: readonly number[]; readonly isInclusive: boolean };

const anything: RegexNode = { type: 'repeat', of: anyCharacter, min: 0, max: undefined };
const something: RegexNode = { type: 'repeat', of: anyCharacter, min: 1, max: undefined };
const empty: RegexNode = { type: 'sequence', parts: [] };

function between(lower: Bound, upper: Bound | undefined): RegexNode {
  const [first, ...rest] = lower.points;
  if (!upper) {
    if (first === undefined) return lower.isInclusive ? anything : something;
    return union([...above(first), then(first, between({ ...lower, points: rest }, undefined))]);
  }
  const [last, ...lastRest] = upper.points;
  const ending = { ...upper, points: lastRest };
  const fromStart = { points: [], isInclusive: true };
  if (first === undefined) {
    const end = lower.isInclusive && (last !== undefined || upper.isInclusive) ? [empty] : [];
    if (last === undefined) return union(end);
    return union([...end, ...within(0, last - 1), then(last, between(fromStart, ending))]);
  }
  if (last === undefined || last < first) return { type: 'nothing' };
  const beginning = { ...lower, points: rest };
  if (first === last) return then(first, between(beginning, ending));
  return union([
    then(first, between(beginning, undefined)),
    ...within(first + 1, last - 1),
    then(last, between(fromStart, ending)),
  ]);
}

/** Texts that begin with a character after this one. */
function above(point: number): RegexNode[] {
  return within(point + 1, maxCodePoint);
}

function within(first: number, last: number): RegexNode[] {
  return first > last ? [] : [{ type: 'sequence', parts: [oneOf(first, last), anything] }];
}

function then(point: number, rest: RegexNode): RegexNode {
  return rest.type === 'nothing' ? rest : { type: 'sequence', parts: [oneOf(point), rest] };
}

function union(options: readonly RegexNode[]): RegexNode {
  const possible = options.filter(({ type }) => type !== 'nothing');
  const [only] = possible;
  if (only === undefined) return { type: 'nothing' };
  return possible.length === 1 ? only : { type: 'union', options: possible };
}

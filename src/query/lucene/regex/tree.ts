/** Code points as pairs of first and last, ascending, neither overlapping nor touching. */
export type Ranges = readonly number[];

export type RegexNode =
  | { readonly type: 'nothing' }
  | { readonly type: 'set'; readonly ranges: Ranges }
  | { readonly type: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly type: 'union'; readonly options: readonly RegexNode[] }
  | { readonly type: 'intersection'; readonly parts: readonly RegexNode[] }
  | { readonly type: 'complement'; readonly of: RegexNode }
  | {
      readonly type: 'repeat';
      readonly of: RegexNode;
      readonly min: number;
      readonly max: number | undefined;
    };

export const maxCodePoint = 0x10ffff;
export const anyCharacter: RegexNode = { type: 'set', ranges: [0, maxCodePoint] };
export const emptyString: RegexNode = { type: 'sequence', parts: [] };

export function literal(text: string): RegexNode {
  return { type: 'sequence', parts: Array.from(text, (character) => oneOf(character.codePointAt(0)!)) };
}

export function oneOf(first: number, last = first): RegexNode {
  return { type: 'set', ranges: [first, last] };
}

export function joinRanges(pairs: readonly (readonly [number, number])[]): Ranges {
  const joined: number[] = [];
  for (const [first, last] of pairs.toSorted((a, b) => a[0] - b[0])) {
    const end = joined.at(-1);
    if (end !== undefined && first <= end + 1) joined[joined.length - 1] = Math.max(end, last);
    else joined.push(first, last);
  }
  return joined;
}

export function invertRanges(ranges: Ranges): Ranges {
  const inverted: number[] = [];
  let next = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i]! > next) inverted.push(next, ranges[i]! - 1);
    next = ranges[i + 1]! + 1;
  }
  if (next <= maxCodePoint) inverted.push(next, maxCodePoint);
  return inverted;
}

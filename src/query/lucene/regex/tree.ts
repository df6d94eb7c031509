export type CodePointRange = { readonly first: number; readonly last: number };

/** Ranges of code points, ascending, neither overlapping nor touching. */
export type Ranges = readonly CodePointRange[];

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
export const anyCharacter: RegexNode = { type: 'set', ranges: [{ first: 0, last: maxCodePoint }] };
export const emptyString: RegexNode = { type: 'sequence', parts: [] };

export function literal(text: string): RegexNode {
  return { type: 'sequence', parts: Array.from(text, (character) => oneOf(firstCodePoint(character))) };
}

export function oneOf(first: number, last = first): RegexNode {
  return { type: 'set', ranges: [{ first, last }] };
}

export function firstCodePoint(text: string): number {
  const codePoint = text.codePointAt(0);
  if (codePoint === undefined) throw new Error('An empty text has no first character.');
  return codePoint;
}

export function joinRanges(ranges: readonly CodePointRange[]): Ranges {
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const previous = joined.at(-1);
    if (previous && first <= previous.last + 1) previous.last = Math.max(previous.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

export function invertRanges(ranges: Ranges): Ranges {
  const inverted: CodePointRange[] = [];
  let next = 0;
  for (const { first, last } of ranges) {
    if (first > next) inverted.push({ first: next, last: first - 1 });
    next = last + 1;
  }
  if (next <= maxCodePoint) inverted.push({ first: next, last: maxCodePoint });
  return inverted;
}

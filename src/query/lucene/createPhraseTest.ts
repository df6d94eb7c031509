/**
 * Tests if the words of a phrase stand in one of some texts, with at most `slop` moves; a swap counts as two. Repeated
 * words must repeat. `isList`: texts are `listGap` positions apart.
 */
export function createPhraseTest(
  words: readonly string[],
  slop: number,
  isList = false,
): (texts: readonly (readonly string[])[]) => boolean {
  if (slop === 0)
    return (texts) => texts.some((tokens) => tokens.some((_, start) => standsAt(words, tokens, start)));
  const offsets = new Map<string, number[]>();
  words.forEach((word, offset) => {
    const offsetsOfWord = offsets.get(word);
    if (offsetsOfWord === undefined) offsets.set(word, [offset]);
    else offsetsOfWord.push(offset);
  });
  if (isList && slop >= listGap) return (texts) => fitsLoosely(offsets, texts, slop);
  return (texts) => texts.some((tokens) => fitsLoosely(offsets, [tokens], slop));
}

/** Positions between the values of a list, so that a phrase reaches from one into the next by so many moves. */
export const listGap = 100;

function standsAt(words: readonly string[], tokens: readonly string[], start: number): boolean {
  return (
    start + words.length <= tokens.length && words.every((word, offset) => tokens[start + offset] === word)
  );
}

/** One distinct word: where it stands in the phrase and where in the text, both ascending. */
type Occurrences = { readonly offsets: readonly number[]; readonly positions: number[] };

/**
 * A word at position p with phrase offset o is shifted by p - o. The needed moves are the largest shift less the
 * smallest, so every possible smallest shift is tried.
 */
function fitsLoosely(
  offsets: ReadonlyMap<string, readonly number[]>,
  texts: readonly (readonly string[])[],
  slop: number,
): boolean {
  const byWord = new Map<string, Occurrences>();
  for (const [word, wordOffsets] of offsets) byWord.set(word, { offsets: wordOffsets, positions: [] });
  let start = 0;
  for (const tokens of texts) {
    for (const [index, token] of tokens.entries()) byWord.get(token)?.positions.push(start + index);
    start += tokens.length + listGap;
  }
  const occurrences = [...byWord.values()];
  if (occurrences.some((occurrence) => occurrence.positions.length < occurrence.offsets.length)) return false;
  // The rarest word rules out most shifts soonest.
  occurrences.sort((a, b) => a.positions.length - b.positions.length);
  const shifts = new Set<number>();
  for (const occurrence of occurrences) {
    for (const offset of occurrence.offsets)
      for (const position of occurrence.positions) shifts.add(position - offset);
  }
  for (const shift of shifts)
    if (occurrences.every((occurrence) => fitsWithin(occurrence, shift, slop))) return true;
  return false;
}

/** Both lists ascend, so taking the first free position for each offset in turn never spoils a later choice. */
function fitsWithin(occurrence: Occurrences, shift: number, slop: number): boolean {
  let next = firstFrom(occurrence.positions, shift + occurrence.offsets[0]!);
  for (const offset of occurrence.offsets) {
    while (next < occurrence.positions.length && occurrence.positions[next]! < shift + offset) next += 1;
    const position = occurrence.positions[next];
    if (position === undefined || position > shift + offset + slop) return false;
    next += 1;
  }
  return true;
}

function firstFrom(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

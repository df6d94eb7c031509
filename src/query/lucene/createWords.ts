import { lowerCase, scanWords } from '../analyzer.ts';
import { createWordTable, type WordTable } from './createWordTable.ts';

/** The words of several texts, found on first use. */
export type Words = {
  /** In lower case: each with a space before and after it, each text after a line feed. */
  readonly text: () => string;
  readonly has: (word: string) => boolean;
  /** How many different words there are. */
  readonly count: () => number;
  readonly some: (test: (word: string) => boolean) => boolean;
  /** The first and the last word in the order of code points. */
  readonly ends: () => { readonly first: string; readonly last: string } | undefined;
  /** True if these words stand side by side in one of the texts. */
  readonly hasPhrase: (words: readonly string[]) => boolean;
  /** The words of each text. */
  readonly lists: () => readonly (readonly string[])[];
  /** Finds them piece by piece: callers that must not block on large texts run through this first. */
  readonly reading: Iterator<void, unknown>;
};

/** UTF-16 units that are read at once. */
const pieceLength = 32_768;

export function createWords(texts: readonly string[]): Words {
  const cache: { text?: string; table?: WordTable } = {};
  let lists: string[][] | undefined;
  let ends: { first: string; last: string } | undefined;

  function* read(): Generator<void> {
    const text = yield* readTexts(texts);
    cache.text = text;
    yield;
    const table = createWordTable(text);
    for (let end = pieceLength; !table.read(end); end += pieceLength) yield;
    cache.table = table;
  }
  const reading = read();
  const wholeText = (): string => {
    while (cache.text === undefined) reading.next();
    return cache.text;
  };
  const words = (): WordTable => {
    while (cache.table === undefined) reading.next();
    return cache.table;
  };

  return {
    text: wholeText,
    has: (word) => words().has(word),
    count: () => words().count(),
    some: (test) => words().some(test),
    ends: () => {
      ends ??= words().ends();
      return ends;
    },
    hasPhrase: (phrase) => wholeText().includes(` ${phrase.join(' ')} `),
    lists: () => {
      lists ??= wholeText()
        .slice(1)
        .split('\n')
        .map((line) => line.split(' ').filter((word) => word !== ''));
      return lists;
    },
    reading,
  };
}

// Words may overlap the end of a piece, and each may stand for a single character.
const bytes = Buffer.alloc(2 * (pieceLength + 512));
const units = Buffer.alloc(2 * bytes.length);
const units16 = new Uint16Array(units.buffer, units.byteOffset, bytes.length);
const beyondLatin1 = /[^\0-\xff]/;

function* readTexts(texts: readonly string[]): Generator<void, string> {
  const pieces: string[] = [];
  let length = 0;
  for (const text of texts) {
    pieces.push('\n ');
    for (let index = 0; index < text.length; ) {
      const before = index;
      index = readPiece(text, index, pieces);
      length += index - before + shortText;
      if (length < pieceLength) continue;
      length = 0;
      yield;
    }
  }
  return pieces.join('');
}

/** Characters that every text counts for, however short it is. */
const shortText = 20;

function readPiece(text: string, from: number, pieces: string[]): number {
  const to = Math.min(text.length, from + pieceLength);
  const lower = lowerCase(text.slice(from, to + 512));
  const isWide = beyondLatin1.test(lower);
  const written: Uint8Array | Uint16Array = isWide ? units16 : bytes;
  let length = 0;
  const next = scanWords(text, from, to, (start, end) => {
    for (let index = start - from; index < end - from; index++) written[length++] = lower.charCodeAt(index);
    written[length++] = 0x20;
  });
  pieces.push(isWide ? units.toString('utf16le', 0, 2 * length) : bytes.toString('latin1', 0, length));
  return next;
}

import { analyze, isPlain } from '../analyzer.ts';
import { createWordTable } from './wordTable.ts';

/** The words of several texts, found when they are first asked for. */
export type Words = {
  /** In lower case. Its words are runs of letters and digits if `isPlain`, and else separated by spaces. */
  readonly text: string;
  readonly isPlain: boolean;
  readonly has: (word: string) => boolean;
  readonly some: (test: (word: string) => boolean) => boolean;
  /** The first and the last word in the order of code points. */
  readonly ends: () => { readonly first: string; readonly last: string } | undefined;
  /** Whether these words stand side by side in one of the texts. */
  readonly hasPhrase: (words: readonly string[]) => boolean;
  /** The words of each text. */
  readonly lists: () => readonly (readonly string[])[];
};

export function createWords(texts: readonly string[]): Words {
  const joined = texts.join('\n');
  const isAllPlain = isPlain(joined);
  const text = isAllPlain ? joined.toLowerCase() : analyze(joined).join(' ');
  const table = once(() => createWordTable(text, isAllPlain ? isPlainSeparator : isSpace));
  const lists = once(() => texts.map(analyze));
  const lines = once(() =>
    lists()
      .map((words) => ` ${words.join(' ')} `)
      .join('\n'),
  );
  return {
    text,
    isPlain: isAllPlain,
    has: (word) => table().has(word),
    some: (test) => table().some(test),
    ends: once(() => table().ends()),
    hasPhrase: (words) => lines().includes(` ${words.join(' ')} `),
    lists,
  };
}

function isSpace(unit: number): boolean {
  return unit === 0x20;
}

/** In lower case, what is neither letter nor digit. */
function isPlainSeparator(unit: number): boolean {
  return !((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39));
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

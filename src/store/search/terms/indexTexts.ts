import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { addWords, analyze } from '../../../query/analyzer.ts';
import { oddWords } from '../../../query/plainWords.ts';
import type { NoteWords } from './alertWords.ts';

export type IndexedTexts = {
  /** Hashes of all words. */
  terms: Set<number>;
  /** The words that PostgreSQL would split wrongly, by text; null for the many rows without one. */
  odd: Record<string, string> | null;
};

/** A shorter text takes less than a millisecond. */
const largeText = 20_000;
const wordsPerTurn = 10_000;

/** Makes texts searchable, by column; yields to the event loop where a text is large. */
export async function indexTexts(
  tenantId: number,
  columns: Readonly<Record<string, readonly (string | undefined)[]>>,
  createHashes: (tenantId: number, column: string) => (word: string) => readonly number[],
  noteWords?: NoteWords,
): Promise<IndexedTexts> {
  const terms = new Set<number>();
  const odd: [string, string][] = [];
  for (const [column, texts] of Object.entries(columns)) {
    const hashesOf = createHashes(tenantId, column);
    const note = noteWords?.(column);
    for (const text of texts) {
      if (text === undefined) continue;
      const words = text.length < largeText ? analyze(text) : await analyzeInPieces(text);
      for (let index = 0; index < words.length; index += wordsPerTurn) {
        const piece = words.length > wordsPerTurn ? words.slice(index, index + wordsPerTurn) : words;
        for (const word of piece) {
          for (const hash of hashesOf(word)) terms.add(hash);
          note?.(word);
        }
        if (words.length > wordsPerTurn) await yieldToEventLoop();
      }
      if (text.length >= largeText) await yieldToEventLoop();
      const oddText = oddWords(text, words);
      if (oddText !== undefined) odd.push([text, oddText]);
    }
  }
  return { terms, odd: odd.length === 0 ? null : Object.fromEntries(odd) };
}

async function analyzeInPieces(text: string): Promise<string[]> {
  const words: string[] = [];
  for (let index = 0; index < text.length; ) {
    index = addWords(text, index, index + largeText, words);
    await yieldToEventLoop();
  }
  return words;
}

/** Every string below a JSON value. */
export function textsOf(value: unknown): string[] {
  const texts: string[] = [];
  addTexts(value, texts);
  return texts;
}

function addTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value);
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addTexts(inner, texts);
}

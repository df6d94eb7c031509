import { splitAtWords } from './splitAtWords.ts';

/** A text in which these words are marked, whatever their case; they are text too, and may hold any sign. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const parts = splitAtWords(text, words);
  return <>{parts.map((part, index) => (index % 2 === 0 ? part : <mark key={index}>{part}</mark>))}</>;
}

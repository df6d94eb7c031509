import { raw, type Sql, sql } from '../lib/sql.ts';
import { analyze, isPlain } from './analyzer.ts';

/** Everything in ASCII that is neither letter, digit nor underscore. */
const separators = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  .filter((character) => !/[A-Za-z0-9_]/.test(character) && character !== '\0')
  .join('');
const isAscii = /^\p{ASCII}*$/u;

/**
 * The words of a text that PostgreSQL cannot cut at every separator itself, joined by spaces; undefined for plain
 * texts, which most are. Stored beside a row for SQL. `analyzed`: its words, if at hand.
 */
export function oddWords(text: string, analyzed?: readonly string[]): string | undefined {
  if (isPlain(text)) return undefined;
  const words = analyzed ?? analyze(text);
  if (isAscii.test(text) && isCutAt(text.toLowerCase(), words)) return undefined;
  return words.join(' ');
}

/** True if every word is a run of letters, digits and underscores. */
function isCutAt(text: string, words: readonly string[]): boolean {
  let index = 0;
  for (const word of words) {
    while (index < text.length && !isInWord(text.charCodeAt(index))) index += 1;
    if (!text.startsWith(word, index)) return false;
    // A run goes on neither behind the word nor, beyond a mark, within it.
    for (const end = index + word.length; index < end; index++)
      if (!isInWord(text.charCodeAt(index))) return false;
    if (index < text.length && isInWord(text.charCodeAt(index))) return false;
  }
  while (index < text.length && !isInWord(text.charCodeAt(index))) index += 1;
  return index === text.length;
}

/** Of a text in lower case. */
function isInWord(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f;
}

const from = raw(`E'${Array.from(separators, escapeCharacter).join('')}'`);
const to = raw(`'${' '.repeat(separators.length)}'`);

/** SQL for the words of `text` with a space before and after each; `odd` is the JSON map of texts to odd words. */
export function wordsSql(text: Sql, odd: Sql): Sql {
  return sql`(' ' || coalesce(${odd} ->> ${text}, translate(lower(${text}), ${from}, ${to})) || ' ')`;
}

function escapeCharacter(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

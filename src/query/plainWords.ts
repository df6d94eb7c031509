import { raw, type Sql, sql } from '../lib/sql.ts';
import { analyze, isPlain } from './analyzer.ts';

/** Everything in ASCII that is neither letter, digit nor underscore. */
const separators = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  .filter((character) => !/[A-Za-z0-9_]/.test(character) && character !== '\0')
  .join('');
const isAscii = /^\p{ASCII}*$/u;

/**
 * The words of a text where PostgreSQL cannot find them itself by cutting at every separator, joined by spaces;
 * undefined for the plain texts that most are. What is stored of these beside a row lets SQL see the words of any text.
 */
export function oddWords(text: string): string | undefined {
  if (isPlain(text)) return undefined;
  const words = analyze(text);
  if (isAscii.test(text)) {
    const plain = text
      .toLowerCase()
      .split(/[^a-z0-9_]+/)
      .filter(Boolean);
    if (plain.length === words.length && plain.every((word, i) => word === words[i])) return undefined;
  }
  return words.join(' ');
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

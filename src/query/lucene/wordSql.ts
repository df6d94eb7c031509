import { type Sql, sql } from '../../lib/sql.ts';
import type { Predicate } from './predicate.ts';
import { escapeCodePoint } from './regex/escapeCodePoint.ts';
import { nonEmpty } from './regex/nonEmpty.ts';
import { nodeToPostgres } from './regex/toPostgres.ts';
import { firstCodePoint, type RegexNode } from './regex/tree.ts';

/**
 * A word test as regular expressions, absent where no word fits. `plain`: for texts of ASCII runs. `odd`: for the
 * stored words of the rest. `sure`: a LIKE pattern that suffices for plain texts.
 */
export type WordPattern = { plain?: string; odd?: string; sure?: string };

/** True if a text has such words; `odd` is the row's JSON map of its odd texts to their words. */
export function wordTest(text: Sql, odd: Sql, pattern: WordPattern): Sql {
  const { sure } = pattern;
  const fits = pattern.plain === undefined ? sql`false` : sql`lower(${text}) ~ ${pattern.plain}`;
  const plain = sure === undefined ? fits : sql`(${text} like ${sure} or ${fits})`;
  const stored = pattern.odd === undefined ? sql`false` : sql`(${odd} ->> ${text}) ~ ${pattern.odd}`;
  return sql`(case when ${odd} ? ${text} then ${stored} else ${plain} end)`;
}

const between = { plain: '[^a-z0-9_]+', odd: ' ' };
const character = { plain: '[a-z0-9_]', odd: '[^ ]' };

/** One of these words; the first one of them should be the most common. */
export function anyWord(words: readonly string[]): WordPattern {
  const plain = words.filter(isPlain);
  const [first] = plain;
  return {
    ...(first === undefined
      ? {}
      : { plain: whole('plain', plain.map(escapeText).join('|')), sure: `% ${likeWord(first)} %` }),
    odd: whole('odd', words.map(escapeText).join('|')),
  };
}

/** These words side by side. */
export function wordsInOrder(words: readonly string[]): WordPattern {
  const escaped = words.map(escapeText);
  return {
    ...(words.every(isPlain) ? { plain: whole('plain', escaped.join(between.plain)) } : {}),
    odd: whole('odd', escaped.join(between.odd)),
  };
}

/** Two words at most this many moves from side by side: as many words between them, or two fewer the other way round. */
export function wordsNear(first: string, second: string, slop: number): WordPattern {
  const write = (kind: 'plain' | 'odd') => {
    const [a, b] = [escapeText(first), escapeText(second)];
    const gap = (words: number) => `(?:${between[kind]}${character[kind]}+){0,${words}}${between[kind]}`;
    return whole(kind, slop < 2 ? `${a}${gap(slop)}${b}` : `${a}${gap(slop)}${b}|${b}${gap(slop - 2)}${a}`);
  };
  return { ...(isPlain(first) && isPlain(second) ? { plain: write('plain') } : {}), odd: write('odd') };
}

/** A word that begins with this. */
export function wordPrefix(text: string): WordPattern {
  if (text.includes(' ')) return {};
  return {
    ...(isPlain(text) ? { plain: `${begin('plain')}${escapeText(text)}`, sure: `% ${likeWord(text)}%` } : {}),
    odd: `${begin('odd')}${escapeText(text)}`,
  };
}

type Parts = Extract<Predicate, { type: 'wildcard' }>['parts'];

export function wildcardWord(parts: Parts): WordPattern {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.some((text) => text.includes(' '))) return {};
  // A word has at least one character.
  const any = parts.every(({ type }) => type === 'any') ? '+' : '*';
  const write = (kind: 'plain' | 'odd') =>
    whole(
      kind,
      parts
        .map((part) =>
          part.type === 'text'
            ? escapeText(part.text)
            : `${character[kind]}${part.type === 'any' ? any : ''}`,
        )
        .join(''),
    );
  const [head, tail, more] = parts;
  // With more parts it could stand for several words.
  const isEnd = head?.type === 'any' && tail?.type === 'text' && more === undefined;
  const sure = isEnd ? { sure: `%${likeWord(tail.text)} %` } : {};
  return { ...(texts.every(isPlain) ? { plain: write('plain'), ...sure } : {}), odd: write('odd') };
}

/** Undefined where PostgreSQL has no such expression. */
export function regexWord(node: RegexNode): WordPattern | undefined {
  // A word has at least one character.
  const word = nonEmpty(node);
  if (word.type === 'nothing') return {};
  const plain = nodeToPostgres(word, 'plain word');
  const odd = nodeToPostgres(word, 'odd word');
  if (plain === undefined || odd === undefined) return undefined;
  return { plain: whole('plain', plain), odd: whole('odd', odd) };
}

function whole(kind: 'plain' | 'odd', expression: string): string {
  return `${begin(kind)}(?:${expression})${kind === 'plain' ? '(?:$|[^a-z0-9_])' : '(?:$| )'}`;
}

function begin(kind: 'plain' | 'odd'): string {
  return kind === 'plain' ? '(?:^|[^a-z0-9_])' : '(?:^| )';
}

function isPlain(text: string): boolean {
  return /^[a-z0-9_]*$/.test(text);
}

/** A plain word has no further character that LIKE interprets. */
function likeWord(word: string): string {
  return word.replaceAll('_', '\\_');
}

function escapeText(text: string): string {
  return Array.from(text, (letter) =>
    isPlain(letter) ? letter : escapeCodePoint(firstCodePoint(letter)),
  ).join('');
}

import { invalidWhere, quote } from './invalidWhere.ts';

/**
 * `word`: a bare name or a keyword. `name`: in backquotes. `quoted`: in double quotes, a name or a string depending on
 * where it stands. `source` is the token as written, `value` what it means.
 */
export type WhereToken = {
  readonly type: 'word' | 'name' | 'quoted' | 'string' | 'number' | 'symbol' | 'end';
  readonly value: string;
  readonly source: string;
  readonly position: number;
  readonly end: number;
};

/** The token at or after `offset`; reading one at a time lets the first fault of a text be the one reported. */
export function lex(text: string, offset: number): WhereToken {
  const start = skipWhiteSpace(text, offset);
  const first = text[start];
  if (first === undefined) return token('end', text, start, start);
  if (first === "'" || first === '"' || first === '`') return lexQuoted(text, start, first);
  const word = match(wordPattern, text, start);
  if (word !== undefined) return token('word', text, start, start + word.length);
  const number = match(numberPattern, text, start);
  if (number !== undefined) return lexNumber(text, start, start + number.length);
  const symbol = match(symbolPattern, text, start);
  if (symbol !== undefined) return token('symbol', text, start, start + symbol.length);
  const [character = first] = text.slice(start, start + 2);
  throw invalidWhere(start + 1, `unexpected ${quote(character)}`);
}

const wordPattern = /[A-Za-z_][A-Za-z0-9_]*/y;
const numberPattern = /[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const symbolPattern = /<>|<=|>=|!=|[=<>(),.]/y;
const whiteSpacePattern = /\p{White_Space}*/uy;
const wordCharacter = /[A-Za-z0-9_]/;

function skipWhiteSpace(text: string, offset: number): number {
  return offset + (match(whiteSpacePattern, text, offset)?.length ?? 0);
}

function match(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}

const quotedType = { "'": 'string', '"': 'quoted', '`': 'name' } as const;

function lexQuoted(text: string, start: number, mark: keyof typeof quotedType): WhereToken {
  let end = text.indexOf(mark, start + 1);
  while (end !== -1 && text[end + 1] === mark) end = text.indexOf(mark, end + 2);
  if (end === -1) {
    throw invalidWhere(
      start + 1,
      `${quote(text.slice(start))} has no closing quote (a quote inside is written twice)`,
    );
  }
  const value = text.slice(start + 1, end).replaceAll(mark + mark, mark);
  return { ...token(quotedType[mark], text, start, end + 1), value };
}

function lexNumber(text: string, start: number, end: number): WhereToken {
  const next = text[end];
  if (next !== undefined && wordCharacter.test(next)) {
    throw invalidWhere(
      end + 1,
      `${quote(text.slice(start, end + 1))} is not a number (a space is needed before a word)`,
    );
  }
  return token('number', text, start, end);
}

function token(type: WhereToken['type'], text: string, start: number, end: number): WhereToken {
  const source = text.slice(start, end);
  return { type, value: source, source, position: start + 1, end };
}

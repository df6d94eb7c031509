import { invalidWhere, quote } from './invalidWhere.ts';
import { lex, type Token } from './lex.ts';

/** The text with its current token. */
export type Reader = { readonly text: string; token: Token };

export function createReader(text: string): Reader {
  return { text, token: lex(text, 0) };
}

/** Returns the current token; the reader moves on to the next. */
export function take(reader: Reader): Token {
  const taken = reader.token;
  reader.token = lex(reader.text, taken.end);
  return taken;
}

export function takeSymbol(reader: Reader, symbol: string): boolean {
  if (reader.token.type !== 'symbol' || reader.token.value !== symbol) return false;
  take(reader);
  return true;
}

export function takeKeyword(reader: Reader, keyword: Keyword): boolean {
  if (!isKeyword(reader.token, keyword)) return false;
  take(reader);
  return true;
}

export function isKeyword(token: Token, keyword: Keyword): boolean {
  return token.type === 'word' && token.value.toUpperCase() === keyword;
}

export function isReserved(token: Token): boolean {
  return token.type === 'word' && reserved.has(token.value.toUpperCase());
}

export function unexpected(token: Token, expected: string): Error {
  const found = token.type === 'end' ? 'the text ends' : `found ${quote(token.source)}`;
  return invalidWhere(token.position, `expected ${expected}, but ${found}`);
}

const keywords = [
  'AND',
  'OR',
  'NOT',
  'IN',
  'LIKE',
  'ILIKE',
  'ESCAPE',
  'BETWEEN',
  'IS',
  'NULL',
  'TRUE',
  'FALSE',
  'CONTAINS',
] as const;
type Keyword = (typeof keywords)[number];
const reserved: ReadonlySet<string> = new Set(keywords);

import { invalidWhere, quote } from './invalidWhere.ts';
import { lex, type WhereToken } from './lex.ts';

/** The text with its current token. */
export type WhereReader = { readonly text: string; token: WhereToken };

export function createReader(text: string): WhereReader {
  return { text, token: lex(text, 0) };
}

/** Returns the current token; the reader moves on to the next. */
export function take(reader: WhereReader): WhereToken {
  const taken = reader.token;
  reader.token = lex(reader.text, taken.end);
  return taken;
}

export function takeSymbol(reader: WhereReader, symbol: string): boolean {
  if (reader.token.type !== 'symbol' || reader.token.value !== symbol) return false;
  take(reader);
  return true;
}

export function takeKeyword(reader: WhereReader, keyword: Keyword): boolean {
  if (!isKeyword(reader.token, keyword)) return false;
  take(reader);
  return true;
}

export function isKeyword(token: WhereToken, keyword: Keyword): boolean {
  return token.type === 'word' && token.value.toUpperCase() === keyword;
}

export function isReserved(token: WhereToken): boolean {
  return token.type === 'word' && reserved.has(token.value.toUpperCase());
}

export function unexpected(token: WhereToken, expected: string): Error {
  const shown = token.type === 'end' ? 'the text ends' : `found ${quote(token.source)}`;
  return invalidWhere(token.position, `expected ${expected}, but ${shown}`);
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

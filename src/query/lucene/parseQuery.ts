import { invalidQuery, quote } from './invalidQuery.ts';
import { lex, type Token, type TokenType } from './lex.ts';
import { toValue } from './toValue.ts';
import type { Clause, Group, Node, Query, Range } from './tree.ts';
import { unescapeText } from './unescapeText.ts';

/** Reports each value clause, and from where to where it stands in the text, its field included. */
type OnValue = (node: Exclude<Node, Group>, start: number, end: number) => void;

/**
 * Reads a query string. A blank one has no clauses and matches nothing.
 * Throws the problem `invalid-query` with the column at which reading stopped.
 */
export function parseQuery(text: string, onValue?: OnValue): Query {
  if (text.length > maxLength) {
    throw invalidQuery(maxLength, `the query has ${text.length} characters and may have ${maxLength}`);
  }
  if (isBlank(text)) return { type: 'group', clauses: [] };
  const reader: Reader = { tokens: lex(text), at: 0, depth: 0, clauseCount: 0, onValue };
  const query = parseGroup(reader, undefined);
  expect(reader, 'end');
  return query;
}

const maxLength = 32_000;
const maxClauses = 1_024;
const maxDepth = 64;
const space = 0x20;

/** Everything up to the space counts as blank, control characters included. */
function isBlank(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > space) return false;
  return true;
}

type Reader = {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
  clauseCount: number;
  readonly onValue: OnValue | undefined;
};

function parseGroup(reader: Reader, field: string | undefined): Group {
  const clauses: Clause[] = [];
  do {
    const joined = joinedTerms(reader);
    if (joined > 1) {
      clauses.push({ conjunction: undefined, modifier: undefined, node: parseJoined(reader, field, joined) });
    } else {
      const conjunction = clauses.length > 0 ? takeWord(reader, conjunctions) : undefined;
      const modifier = takeWord(reader, modifiers);
      clauses.push({ conjunction, modifier, node: parseClause(reader, field) });
    }
  } while (clauseStarts.has(peek(reader).type));
  return { type: 'group', clauses };
}

const conjunctions: ReadonlyMap<TokenType, 'and' | 'or'> = new Map([
  ['and', 'and'],
  ['or', 'or'],
]);
const modifiers: ReadonlyMap<TokenType, 'must' | 'mustNot'> = new Map([
  ['plus', 'must'],
  ['minus', 'mustNot'],
  ['not', 'mustNot'],
]);
const values: ReadonlySet<TokenType> = new Set<TokenType>([
  'bareOperator',
  'star',
  'quoted',
  'term',
  'prefix',
  'wildcard',
  'regex',
]);
const clauseStarts: ReadonlySet<TokenType> = new Set<TokenType>([
  ...conjunctions.keys(),
  ...modifiers.keys(),
  ...values,
  '(',
  'rangeStart',
]);

function takeWord<Word>(reader: Reader, words: ReadonlyMap<TokenType, Word>): Word | undefined {
  const word = words.get(peek(reader).type);
  if (word !== undefined) reader.at += 1;
  return word;
}

/** Number of terms side by side; a term that belongs to an operator, a colon or a tilde ends the row before it. */
function joinedTerms(reader: Reader): number {
  let count = 0;
  while (
    peek(reader, count).type === 'term' &&
    (count === 0 || !claimsTerm.has(peek(reader, count + 1).type))
  ) {
    count += 1;
  }
  return count;
}

const claimsTerm: ReadonlySet<TokenType> = new Set<TokenType>([':', 'star', 'slop', '^', 'and', 'or']);

function parseJoined(reader: Reader, field: string | undefined, count: number): Node {
  const first = peek(reader);
  const terms = reader.tokens.slice(reader.at, reader.at + count);
  reader.at += count;
  countClause(reader, first);
  const text = terms.map((term) => unescapeText(term.text, term.offset)).join(' ');
  return reported(reader, first, { type: 'text', field, offset: first.offset, text, isJoined: true });
}

function reported<T extends Exclude<Node, Group>>(reader: Reader, start: Token, node: T): T {
  reader.onValue?.(node, start.offset, reader.tokens[reader.at - 1]?.end ?? start.end);
  return node;
}

function parseClause(reader: Reader, outerField: string | undefined): Node {
  const start = peek(reader);
  const field = parseField(reader) ?? outerField;
  const first = peek(reader);
  // A group counts by the clauses in it.
  if (first.type === '(') return parseParentheses(reader, field);
  countClause(reader, first);
  if (first.type === 'rangeStart') return reported(reader, start, parseRange(reader, field));
  if (!values.has(first.type)) throw unexpected(first);
  reader.at += 1;
  return reported(reader, start, toValue(first, parseSuffixes(reader), field));
}

function countClause(reader: Reader, token: Token): void {
  reader.clauseCount += 1;
  if (reader.clauseCount > maxClauses) {
    throw invalidQuery(token.offset, `the query has more than ${maxClauses} clauses`);
  }
}

function parseField(reader: Reader): string | undefined {
  const name = peek(reader);
  if ((name.type !== 'term' && name.type !== 'star') || peek(reader, 1).type !== ':') return undefined;
  reader.at += 2;
  return unescapeText(name.text, name.offset);
}

function parseParentheses(reader: Reader, field: string | undefined): Node {
  const open = expect(reader, '(');
  reader.depth += 1;
  if (reader.depth > maxDepth) throw invalidQuery(open.offset, `groups are nested deeper than ${maxDepth}`);
  const group = parseGroup(reader, field);
  expect(reader, ')');
  reader.depth -= 1;
  parseBoost(reader);
  return group;
}

function parseRange(reader: Reader, field: string | undefined): Range {
  const open = expect(reader, 'rangeStart');
  const lower = parseRangeText(reader);
  expect(reader, 'to');
  const upper = parseRangeText(reader);
  const close = expect(reader, 'rangeEnd');
  parseBoost(reader);
  return {
    type: 'range',
    field,
    offset: open.offset,
    lower: { text: lower, isInclusive: open.text === '[' },
    upper: { text: upper, isInclusive: close.text === ']' },
  };
}

/** Undefined for an open end. */
function parseRangeText(reader: Reader): string | undefined {
  const text = parseRangeWord(reader);
  return text === '*' ? undefined : text;
}

function parseRangeWord(reader: Reader): string {
  const token = peek(reader);
  if (token.type === 'rangeQuoted') {
    reader.at += 1;
    return unescapeText(token.text.slice(1, -1), token.offset + 1);
  }
  if (token.type !== 'rangeWord' && token.type !== 'to') throw unexpected(token);
  reader.at += 1;
  return unescapeText(token.text, token.offset);
}

/** `^2~1` or `~1^2`. Boosts are read and forgotten: they only matter where results are ranked. */
function parseSuffixes(reader: Reader): Token | undefined {
  const isBoosted = parseBoost(reader);
  const slop = peek(reader).type === 'slop' ? expect(reader, 'slop') : undefined;
  if (slop !== undefined && !isBoosted) parseBoost(reader);
  return slop;
}

function parseBoost(reader: Reader): boolean {
  if (peek(reader).type !== '^') return false;
  reader.at += 1;
  expect(reader, 'number');
  return true;
}

function peek(reader: Reader, ahead = 0): Token {
  return reader.tokens[Math.min(reader.at + ahead, reader.tokens.length - 1)]!;
}

function expect(reader: Reader, type: TokenType): Token {
  const token = peek(reader);
  if (token.type !== type) throw unexpected(token);
  reader.at += 1;
  return token;
}

function unexpected(token: Token): Error {
  if (token.type === 'fault') return invalidQuery(token.offset, token.text);
  return invalidQuery(
    token.offset,
    token.type === 'end' ? 'it ends too early' : `unexpected ${quote(token.text)}`,
  );
}

import { getOrThrow } from '../../lib/getOrThrow.ts';
/** `offset` and `end` count UTF-16 units from 0. `fault` stands where nothing can be read and says why. */
export type Token = {
  readonly type: TokenType;
  readonly text: string;
  readonly offset: number;
  readonly end: number;
};

export type TokenType =
  | 'and'
  | 'or'
  | 'not'
  | 'plus'
  | 'minus'
  | 'bareOperator'
  | '('
  | ')'
  | ':'
  | 'star'
  | '^'
  | 'quoted'
  | 'term'
  | 'slop'
  | 'prefix'
  | 'wildcard'
  | 'regex'
  | 'rangeStart'
  | 'rangeEnd'
  | 'to'
  | 'rangeWord'
  | 'rangeQuoted'
  | 'number'
  | 'end'
  | 'fault';

/**
 * The tokens of a query string up to its end or the first fault. The longest token wins, so that `a&&b` and `ANDROID`
 * are terms and `- ` before a space is no operator.
 */
export function lex(text: string): Token[] {
  const tokens: Token[] = [];
  let state: State = 'default';
  let at = 0;
  for (;;) {
    const token = readToken(text, at, state);
    tokens.push(token);
    if (token.type === 'end' || token.type === 'fault') return tokens;
    at = token.end;
    state = nextState(token.type, state);
  }
}

type State = 'default' | 'range' | 'boost';

function nextState(type: TokenType, state: State): State {
  if (type === 'rangeStart') return 'range';
  if (type === '^') return 'boost';
  return type === 'rangeEnd' || type === 'number' ? 'default' : state;
}

function readToken(text: string, from: number, state: State): Token {
  if (state === 'boost') return readNumber(text, from);
  if (state === 'range') return readRangeToken(text, from);
  const at = match(whiteSpaces, text, from);
  const character = text[at];
  switch (character) {
    case undefined:
      return token('end', text, at, at);
    case '(':
    case ')':
    case ':':
    case '^':
      return token(character, text, at, at + 1);
    case '[':
    case '{':
      return token('rangeStart', text, at, at + 1);
    case '"':
      return readQuoted(text, at);
    case '/':
      return readRegex(text, at);
    case '~':
      return token('slop', text, at, match(termCharacters, text, at + 1));
    case '+':
    case '-':
    case '!':
      return readOperator(text, at, character);
    default:
      return readTerm(text, at);
  }
}

const whiteSpaces = /[ \t\n\r\u3000]*/y;
const termCharacters = /(?:[^ \t\n\r\u3000!():^[\]"{}~*?\\/]|\\[\s\S])*/y;
const wildcardCharacters = /(?:[^ \t\n\r\u3000!():^[\]"{}~\\/]|\\[\s\S])*/y;
const quotedText = /"(?:[^"\\]|\\[\s\S])*"/y;
const boostNumber = /\d+(?:\.\d+)?/y;
const rangeWord = /[^ \]}]*/y;

/** End of a match of the sticky `pattern` at `offset`, or `offset` if there is none. */
function match(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}

const operators: ReadonlyMap<string, TokenType> = new Map([
  ['AND', 'and'],
  ['&&', 'and'],
  ['OR', 'or'],
  ['||', 'or'],
  ['NOT', 'not'],
  ['!', 'not'],
  ['+', 'plus'],
  ['-', 'minus'],
  ['*', 'star'],
]);

function readOperator(text: string, at: number, character: string): Token {
  const isBare = at + 1 < text.length && match(whiteSpaces, text, at + 1) > at + 1;
  return isBare
    ? { type: 'bareOperator', text: character, offset: at, end: at + 2 }
    : token(getOrThrow(operators, character), text, at, at + 1);
}

function readTerm(text: string, at: number): Token {
  const end = match(wildcardCharacters, text, at);
  if (end === at) return fault(text, at, unreadable(text.charAt(at)));
  const found = text.slice(at, end);
  const type =
    operators.get(found) ?? (match(termCharacters, text, at) === end ? 'term' : wildcardType(text, at, end));
  return token(type, text, at, end);
}

function unreadable(character: string): string {
  if (character === '\\') return 'a backslash needs a character after it';
  return `unexpected '${character}' without its opening bracket`;
}

/** One star, at the end, makes it a prefix; the search for its first wildcard ends where the plain part does. */
function wildcardType(text: string, at: number, end: number): TokenType {
  return text[end - 1] === '*' && match(termCharacters, text, at) === end - 1 ? 'prefix' : 'wildcard';
}

function readQuoted(text: string, at: number): Token {
  const end = match(quotedText, text, at);
  return end === at
    ? fault(text, at, "a quote is not closed by another '\"'")
    : token('quoted', text, at, end);
}

function readRegex(text: string, at: number): Token {
  const end = delimitedEnd(text, at, '/');
  return end === at
    ? fault(text, at, "a regular expression is not closed by another '/'; quote or escape a plain slash")
    : token('regex', text, at, end);
}

/** A delimiter after a backslash may close the text too, but only if no later one does. */
function delimitedEnd(text: string, start: number, delimiter: string): number {
  let end = start;
  for (let at = text.indexOf(delimiter, start + 1); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    end = at + 1;
    if (text[at - 1] !== '\\') return end;
  }
  return end;
}

function readNumber(text: string, at: number): Token {
  const end = match(boostNumber, text, at);
  if (end > at) return token('number', text, at, end);
  return at === text.length
    ? token('end', text, at, at)
    : fault(text, at, "a number must follow '^' directly");
}

function readRangeToken(text: string, from: number): Token {
  const at = skipInRange(text, from);
  const character = text[at];
  if (character === undefined) return token('end', text, at, at);
  if (character === ']' || character === '}') return token('rangeEnd', text, at, at + 1);
  const end = match(rangeWord, text, at);
  const quotedEnd = character === '"' ? delimitedEnd(text, at, '"') : at;
  if (quotedEnd >= end && quotedEnd > at + 2) return token('rangeQuoted', text, at, quotedEnd);
  return token(text.slice(at, end) === 'TO' ? 'to' : 'rangeWord', text, at, end);
}

/** Only a space ends a word inside brackets, so that a tab is white space alone but part of a word before one. */
function skipInRange(text: string, from: number): number {
  let at = from;
  while (match(whiteSpaces, text, at) > at && match(rangeWord, text, at) <= at + 1) at += 1;
  return at;
}

function token(type: TokenType, text: string, offset: number, end: number): Token {
  return { type, text: text.slice(offset, end), offset, end };
}

function fault(text: string, offset: number, why: string): Token {
  return { type: 'fault', text: why, offset, end: text.length };
}

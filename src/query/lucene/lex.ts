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
  let index = 0;
  for (;;) {
    const token = readToken(text, index, state);
    tokens.push(token);
    if (token.type === 'end' || token.type === 'fault') return tokens;
    index = token.end;
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
  const index = match(whiteSpaces, text, from);
  const character = text[index];
  switch (character) {
    case undefined:
      return token('end', text, index, index);
    case '(':
    case ')':
    case ':':
    case '^':
      return token(character, text, index, index + 1);
    case '[':
    case '{':
      return token('rangeStart', text, index, index + 1);
    case '"':
      return readQuoted(text, index);
    case '/':
      return readRegex(text, index);
    case '~':
      return token('slop', text, index, match(termCharacters, text, index + 1));
    case '+':
    case '-':
    case '!':
      return readOperator(text, index, character);
    default:
      return readTerm(text, index);
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

function readOperator(text: string, index: number, character: string): Token {
  const isBare = index + 1 < text.length && match(whiteSpaces, text, index + 1) > index + 1;
  return isBare
    ? { type: 'bareOperator', text: character, offset: index, end: index + 2 }
    : token(getOrThrow(operators, character), text, index, index + 1);
}

function readTerm(text: string, index: number): Token {
  const end = match(wildcardCharacters, text, index);
  if (end === index) return fault(text, index, unreadable(text.charAt(index)));
  const found = text.slice(index, end);
  const type =
    operators.get(found) ??
    (match(termCharacters, text, index) === end ? 'term' : wildcardType(text, index, end));
  return token(type, text, index, end);
}

function unreadable(character: string): string {
  if (character === '\\') return 'a backslash needs a character after it';
  return `unexpected '${character}' without its opening bracket`;
}

/** One star, at the end, makes it a prefix; the search for its first wildcard ends where the plain part does. */
function wildcardType(text: string, index: number, end: number): TokenType {
  return text[end - 1] === '*' && match(termCharacters, text, index) === end - 1 ? 'prefix' : 'wildcard';
}

function readQuoted(text: string, index: number): Token {
  const end = match(quotedText, text, index);
  return end === index
    ? fault(text, index, "a quote is not closed by another '\"'")
    : token('quoted', text, index, end);
}

function readRegex(text: string, index: number): Token {
  const end = delimitedEnd(text, index, '/');
  return end === index
    ? fault(text, index, "a regular expression is not closed by another '/'; quote or escape a plain slash")
    : token('regex', text, index, end);
}

/** A delimiter after a backslash may close the text too, but only if no later one does. */
function delimitedEnd(text: string, start: number, delimiter: string): number {
  let end = start;
  for (
    let index = text.indexOf(delimiter, start + 1);
    index !== -1;
    index = text.indexOf(delimiter, index + 1)
  ) {
    end = index + 1;
    if (text[index - 1] !== '\\') return end;
  }
  return end;
}

function readNumber(text: string, index: number): Token {
  const end = match(boostNumber, text, index);
  if (end > index) return token('number', text, index, end);
  return index === text.length
    ? token('end', text, index, index)
    : fault(text, index, "a number must follow '^' directly");
}

function readRangeToken(text: string, from: number): Token {
  const index = skipInRange(text, from);
  const character = text[index];
  if (character === undefined) return token('end', text, index, index);
  if (character === ']' || character === '}') return token('rangeEnd', text, index, index + 1);
  const end = match(rangeWord, text, index);
  const quotedEnd = character === '"' ? delimitedEnd(text, index, '"') : index;
  if (quotedEnd >= end && quotedEnd > index + 2) return token('rangeQuoted', text, index, quotedEnd);
  return token(text.slice(index, end) === 'TO' ? 'to' : 'rangeWord', text, index, end);
}

/** Only a space ends a word inside brackets, so that a tab is white space alone but part of a word before one. */
function skipInRange(text: string, from: number): number {
  let index = from;
  while (match(whiteSpaces, text, index) > index && match(rangeWord, text, index) <= index + 1) index += 1;
  return index;
}

function token(type: TokenType, text: string, offset: number, end: number): Token {
  return { type, text: text.slice(offset, end), offset, end };
}

function fault(text: string, offset: number, why: string): Token {
  return { type: 'fault', text: why, offset, end: text.length };
}

import { RegexSyntaxError, RegexTooComplexError } from './errors.ts';
import { numberInterval } from './numberInterval.ts';
import {
  anyCharacter,
  type CodePointRange,
  emptyString,
  firstCodePoint,
  invertRanges,
  joinRanges,
  literal,
  oneOf,
  type Ranges,
  type RegexNode,
} from './tree.ts';

/**
 * Parses a regular expression of Lucene with all operators and quirks: `^` and `$` are plain characters, and so is an
 * operator in place of a value, as in `*a` or `(|a)`.
 */
export function parseRegex(pattern: string): RegexNode {
  if (pattern === '') return emptyString;
  const reader: Reader = { characters: Array.from(pattern), at: 0, depth: 0 };
  const node = parseUnion(reader);
  if (hasMore(reader)) throw fault(reader, 'end of the pattern expected');
  return node;
}

type Reader = { readonly characters: readonly string[]; at: number; depth: number };

/** Far more than anyone writes; each level takes several frames of the stack, also where the tree is read. */
const maxDepth = 100;

function parseUnion(reader: Reader): RegexNode {
  const first = parseIntersection(reader);
  const options = [first];
  while (take(reader, '|')) options.push(parseIntersection(reader));
  return options.length === 1 ? first : { type: 'union', options };
}

function parseIntersection(reader: Reader): RegexNode {
  const first = parseSequence(reader);
  const parts = [first];
  while (take(reader, '&')) parts.push(parseSequence(reader));
  return parts.length === 1 ? first : { type: 'intersection', parts };
}

function parseSequence(reader: Reader): RegexNode {
  const first = parseRepeat(reader);
  const parts = [first];
  while (hasMore(reader) && !sees(reader, ')|&')) parts.push(parseRepeat(reader));
  return parts.length === 1 ? first : { type: 'sequence', parts };
}

function parseRepeat(reader: Reader): RegexNode {
  let node = parseComplement(reader);
  let repeats = 0;
  for (;;) {
    if (take(reader, '?')) node = { type: 'repeat', of: node, min: 0, max: 1 };
    else if (take(reader, '*')) node = { type: 'repeat', of: node, min: 0, max: undefined };
    else if (take(reader, '+')) node = { type: 'repeat', of: node, min: 1, max: undefined };
    else if (take(reader, '{')) node = { type: 'repeat', of: node, ...parseCounts(reader) };
    else return node;
    repeats += 1;
    if (repeats > maxDepth) throw new RegexTooComplexError('The regular expression is nested too deep');
  }
}

function parseCounts(reader: Reader): { min: number; max: number | undefined } {
  const min = parseInteger(reader);
  let max: number | undefined = min;
  if (take(reader, ',')) max = sees(reader, '0123456789') ? parseInteger(reader) : undefined;
  if (!take(reader, '}')) throw fault(reader, "'}' expected");
  if (max !== undefined && max < min) throw fault(reader, `a repetition of ${min} to ${max} is out of order`);
  return { min, max };
}

function parseInteger(reader: Reader): number {
  let digits = '';
  while (sees(reader, '0123456789')) digits += next(reader);
  if (digits === '') throw fault(reader, 'integer expected');
  return toInteger(reader, digits);
}

function parseComplement(reader: Reader): RegexNode {
  reader.depth += 1;
  if (reader.depth > maxDepth) throw new RegexTooComplexError('The regular expression is nested too deep');
  const node = parseNested(reader);
  reader.depth -= 1;
  return node;
}

function parseNested(reader: Reader): RegexNode {
  if (take(reader, '~')) return { type: 'complement', of: parseComplement(reader) };
  return take(reader, '[') ? parseBrackets(reader) : parseValue(reader);
}

function parseBrackets(reader: Reader): RegexNode {
  const isInverted = take(reader, '^');
  const items: CodePointRange[] = [];
  do {
    items.push(...parseBracketItem(reader));
  } while (hasMore(reader) && !sees(reader, ']'));
  if (!take(reader, ']')) throw fault(reader, "']' expected");
  const ranges = joinRanges(items);
  return { type: 'set', ranges: isInverted ? invertRanges(ranges) : ranges };
}

function parseBracketItem(reader: Reader): Ranges {
  const named = parseNamedClass(reader);
  if (named !== undefined) return named;
  const first = parseCharacter(reader);
  const last = take(reader, '-') ? parseCharacter(reader) : first;
  if (first > last) throw fault(reader, 'a range of characters is out of order');
  return [{ first, last }];
}

function parseValue(reader: Reader): RegexNode {
  if (take(reader, '.')) return anyCharacter;
  if (take(reader, '#')) return { type: 'nothing' };
  if (take(reader, '@')) return { type: 'repeat', of: anyCharacter, min: 0, max: undefined };
  if (take(reader, '"')) return literal(parseUntil(reader, '"'));
  if (take(reader, '<')) return parseInterval(reader, parseUntil(reader, '>'));
  if (take(reader, '(')) {
    if (take(reader, ')')) return emptyString;
    const node = parseUnion(reader);
    if (!take(reader, ')')) throw fault(reader, "')' expected");
    return node;
  }
  const named = parseNamedClass(reader);
  return named === undefined ? oneOf(parseCharacter(reader)) : { type: 'set', ranges: named };
}

function parseUntil(reader: Reader, end: string): string {
  let text = '';
  while (hasMore(reader) && !sees(reader, end)) text += next(reader);
  if (!take(reader, end)) throw fault(reader, `'${end}' expected`);
  return text;
}

function parseInterval(reader: Reader, text: string): RegexNode {
  const parts = intervalPattern.exec(text);
  if (parts === null) throw fault(reader, 'an interval is written <first-last>');
  const [, first = '', last = ''] = parts;
  const [from, to] = [toInteger(reader, first), toInteger(reader, last)];
  return numberInterval(
    Math.min(from, to),
    Math.max(from, to),
    first.length === last.length ? first.length : 0,
  );
}

const intervalPattern = /^(\d+)-(\d+)$/;

/** The ranges of `\d` and its like; any other letter after a backslash is a mistake. */
function parseNamedClass(reader: Reader): Ranges | undefined {
  const letter = reader.characters[reader.at + 1];
  if (!sees(reader, '\\') || letter === undefined || !asciiLetter.test(letter)) return undefined;
  const ranges = namedClasses.get(letter);
  if (ranges === undefined) throw fault(reader, `there is no character class \\${letter}`);
  reader.at += 2;
  return ranges;
}

const asciiLetter = /[A-Za-z]/;
const digits = [{ first: 0x30, last: 0x39 }];
const spaces = [
  { first: 0x09, last: 0x0a },
  { first: 0x0d, last: 0x0d },
  { first: 0x20, last: 0x20 },
];
const wordCharacters = [
  ...digits,
  { first: 0x41, last: 0x5a },
  { first: 0x5f, last: 0x5f },
  { first: 0x61, last: 0x7a },
];
const namedClasses: ReadonlyMap<string, Ranges> = new Map([
  ['d', digits],
  ['D', invertRanges(digits)],
  ['s', spaces],
  ['S', invertRanges(spaces)],
  ['w', wordCharacters],
  ['W', invertRanges(wordCharacters)],
]);

function parseCharacter(reader: Reader): number {
  take(reader, '\\');
  return firstCodePoint(next(reader));
}

function toInteger(reader: Reader, text: string): number {
  const value = Number(text);
  if (value > 2_147_483_647) throw fault(reader, `${text.slice(0, 20)} is too large`);
  return value;
}

function hasMore(reader: Reader): boolean {
  return reader.at < reader.characters.length;
}

function sees(reader: Reader, any: string): boolean {
  const character = reader.characters[reader.at];
  return character !== undefined && any.includes(character);
}

function take(reader: Reader, character: string): boolean {
  if (reader.characters[reader.at] !== character) return false;
  reader.at += 1;
  return true;
}

function next(reader: Reader): string {
  const character = reader.characters[reader.at];
  if (character === undefined) throw fault(reader, 'the pattern ends too early');
  reader.at += 1;
  return character;
}

function fault(reader: Reader, message: string): RegexSyntaxError {
  return new RegexSyntaxError(`${message} at position ${reader.at}`);
}

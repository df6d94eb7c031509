import { lowerCase } from '../analyzer.ts';
import { parseDate } from '../datemath.ts';
import { compareText } from './compareText.ts';
import { exactNumber } from './exactNumber.ts';
import { type Field, subField } from './mapping.ts';
import { above, below, parseNumber } from './numbers.ts';
import { anyOf, type DecimalBound, none, type Predicate, type TextBound } from './predicate.ts';
import type { RangeEnd } from './tree.ts';

export function resolveRange(field: Field, lower: RangeEnd, upper: RangeEnd, now: number): Predicate {
  switch (field.type) {
    case 'keyword':
    case 'text':
      if (asksForNumbers(field, lower, upper)) return none;
      return textRange(field, toTextBound(field, lower), toTextBound(field, upper));
    case 'long':
      return numberRange(field, toMinLong(lower), toMaxLong(upper));
    case 'double':
      if (field.isDynamic) return decimalRange(field, lower, upper);
      return numberRange(field, toDouble(lower, above), toDouble(upper, below));
    case 'date':
      return numberRange(field, toMinDate(lower, now), toMaxDate(upper, now));
    case 'boolean':
      return booleanRange(field, lower, upper);
    case 'object':
      return none;
  }
}

/**
 * Between numbers, a dynamic member is searched for numbers, and its texts are not compared letter by letter. They are
 * where the name ends in `.keyword`, which asks for the text as it stands.
 */
function asksForNumbers(field: Field, lower: RangeEnd, upper: RangeEnd): boolean {
  if (!field.isDynamic || (field.type === 'keyword' && field.name.endsWith(subField))) return false;
  const ends = [lower.text, upper.text].filter((text) => text !== undefined);
  return ends.length > 0 && ends.every((text) => parseNumber(text) !== undefined);
}

function decimalRange(field: Field, lower: RangeEnd, upper: RangeEnd): Predicate {
  const [from, to] = [toDecimalBound(lower), toDecimalBound(upper)];
  if (from === undefined || to === undefined) return none;
  return {
    type: 'decimalRange',
    field,
    ...(from !== 'open' && { lower: from }),
    ...(to !== 'open' && { upper: to }),
  };
}

function toDecimalBound({ text, isInclusive }: RangeEnd): DecimalBound | 'open' | undefined {
  if (text === undefined) return 'open';
  const number = exactNumber(text);
  return number === undefined ? undefined : { number, isInclusive };
}

/** A bound that cannot be read is `undefined`: such a range matches nothing. */
type NumberBound = number | 'open' | undefined;

function toTextBound(field: Field, { text, isInclusive }: RangeEnd): TextBound | undefined {
  if (text === undefined) return undefined;
  return { text: field.type === 'text' || field.isFolded ? lowerCase(text) : text, isInclusive };
}

function textRange(field: Field, lower: TextBound | undefined, upper: TextBound | undefined): Predicate {
  return { type: 'textRange', field, ...(lower && { lower }), ...(upper && { upper }) };
}

function numberRange(field: Field, min: NumberBound, max: NumberBound): Predicate {
  if (min === undefined || max === undefined) return none;
  return { type: 'range', field, ...(min !== 'open' && { min }), ...(max !== 'open' && { max }) };
}

function toMinLong(end: RangeEnd): NumberBound {
  const value = toLong(end);
  if (typeof value !== 'number' || !Number.isInteger(value))
    return typeof value === 'number' ? Math.ceil(value) : value;
  return end.isInclusive ? value : value + 1;
}

function toMaxLong(end: RangeEnd): NumberBound {
  const value = toLong(end);
  if (typeof value !== 'number' || !Number.isInteger(value))
    return typeof value === 'number' ? Math.floor(value) : value;
  return end.isInclusive ? value : value - 1;
}

/** A number that no 64-bit integer can be is as bad as no number. */
function toLong(end: RangeEnd): NumberBound {
  if (end.text === undefined) return 'open';
  const value = parseNumber(end.text);
  return value !== undefined && Math.abs(value) <= 2 ** 63 ? value : undefined;
}

function toDouble(end: RangeEnd, exclude: (value: number) => number): NumberBound {
  if (end.text === undefined) return 'open';
  const value = parseNumber(end.text);
  return value === undefined || end.isInclusive ? value : exclude(value);
}

/** `>` means after the last millisecond of what is named, `>=` from its first. */
function toMinDate(end: RangeEnd, now: number): NumberBound {
  if (end.text === undefined) return 'open';
  const value = parseDate(end.text, now, !end.isInclusive);
  return value === undefined || end.isInclusive ? value : value + 1;
}

/** `<` means before the first millisecond of what is named, `<=` up to its last. */
function toMaxDate(end: RangeEnd, now: number): NumberBound {
  if (end.text === undefined) return 'open';
  const value = parseDate(end.text, now, end.isInclusive);
  return value === undefined || end.isInclusive ? value : value - 1;
}

/**
 * Booleans are in a range as the words `true` and `false`. A dynamic member may be of any type, so that a range whose
 * ends are other words or numbers is not about booleans.
 */
function booleanRange(field: Field, lower: RangeEnd, upper: RangeEnd): Predicate {
  if (field.isDynamic && !(isBooleanEnd(lower) && isBooleanEnd(upper))) return none;
  const flags = [true, false].filter(
    (value) => isAfter(String(value), lower) && isBefore(String(value), upper),
  );
  if (flags.length === 2 && !field.isDynamic) return { type: 'exists', field };
  return anyOf(flags.map((value) => ({ type: 'is', field, value })));
}

function isBooleanEnd(end: RangeEnd): boolean {
  return end.text === undefined || end.text === 'true' || end.text === 'false';
}

function isAfter(word: string, lower: RangeEnd): boolean {
  return lower.text === undefined || compareText(word, lower.text) > (lower.isInclusive ? -1 : 0);
}

function isBefore(word: string, upper: RangeEnd): boolean {
  return upper.text === undefined || compareText(word, upper.text) < (upper.isInclusive ? 1 : 0);
}

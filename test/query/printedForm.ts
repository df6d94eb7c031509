import type { Field } from '../../src/query/lucene/mapping.ts';
import type { Bool, Predicate, TextBound } from '../../src/query/lucene/predicate.ts';

/**
 * Whether Lucene could print a predicate as `form`, with `message` as its default field. Lucene keeps the order of
 * clauses, prints alternatives over fields in any order and includes those that match nothing, and shows boosts; none
 * of that is in a predicate, so that every order and every boost is accepted here.
 */
export function isPrintedAs(predicate: Predicate, form: string): boolean {
  const text = form.replaceAll('\\', '');
  if (predicate.type === 'none' && text === '') return true;
  return groupEnds(predicate, text, 0).includes(text.length);
}

/** Where a print of the predicate that starts at `at` can end, without parentheses of its own. */
function groupEnds(predicate: Predicate, text: string, at: number): number[] {
  const ends = clauseEnds(predicate, text, at);
  if (predicate.type === 'bool') ends.push(...boolEnds(predicate, text, at));
  if (predicate.type === 'terms' && predicate.values.length > 1) {
    const words = predicate.values.map((value) => name(predicate.field) + value).join(' ');
    ends.push(...literalEnds(words, text, at));
  }
  if (text[at] === '+') ends.push(...clauseEnds(predicate, text, at + 1));
  return ends;
}

/** The same as one clause among others: what has several parts stands in parentheses. */
function clauseEnds(predicate: Predicate, text: string, at: number): number[] {
  const ends = leafEnds(predicate, text, at);
  if (text[at] !== '(') return ends;
  for (const end of groupEnds(predicate, text, at + 1)) {
    if (text[end] !== ')') continue;
    boost.lastIndex = end + 1;
    ends.push(boost.test(text) ? boost.lastIndex : end + 1);
  }
  const options = predicate.type === 'bool' && isDisjunction(predicate) ? predicate.should : [predicate];
  for (const end of optionEnds(options, text, at + 1)) ends.push(end);
  return ends;
}

const boost = /\^\d+\.\d+/y;

function isDisjunction(bool: Bool): boolean {
  return bool.must.length === 0 && bool.mustNot.length === 0;
}

/** `a | b | #NONE)`, in any order. */
function optionEnds(options: readonly Predicate[], text: string, at: number): number[] {
  const goOn = (rest: readonly Predicate[], end: number): number[] => {
    if (text.startsWith(' | ', end)) return optionEnds(rest, text, end + 3);
    return text[end] === ')' && rest.every((option) => option.type === 'none') ? [end + 1] : [];
  };
  if (text.startsWith('#NONE', at)) return goOn(options, at + 5);
  return options.flatMap((option, index) =>
    clauseEnds(option, text, at).flatMap((end) => goOn(options.toSpliced(index, 1), end)),
  );
}

type Signed = { readonly sign: string; readonly predicate: Predicate };

function boolEnds(bool: Bool, text: string, at: number): number[] {
  const isNegative = bool.must.length === 0 && bool.should.length === 0;
  const clauses: Signed[] = [
    ...bool.must.map((predicate) => ({ sign: '+', predicate })),
    ...bool.should.map((predicate) => ({ sign: '', predicate })),
    ...bool.mustNot.map((predicate) => ({ sign: '-', predicate })),
  ];
  const ends = clauseListEnds(clauses, text, at);
  return isNegative ? ends.flatMap((end) => literalEnds(' #*:*', text, end)) : ends;
}

function clauseListEnds(clauses: readonly Signed[], text: string, at: number): number[] {
  const ends = new Set<number>();
  clauses.forEach(({ sign, predicate }, index) => {
    if (!text.startsWith(sign, at)) return;
    for (const end of clauseEnds(predicate, text, at + sign.length)) {
      if (clauses.length === 1) ends.add(end);
      else if (text[end] === ' ') {
        for (const last of clauseListEnds(clauses.toSpliced(index, 1), text, end + 1)) ends.add(last);
      }
    }
  });
  return Array.from(ends);
}

function leafEnds(predicate: Predicate, text: string, at: number): number[] {
  switch (predicate.type) {
    case 'all':
      return literalEnds('*:*', text, at);
    case 'none':
      return literalEnds('#NONE', text, at);
    case 'exists':
      return literalEnds(`_field_names:${predicate.field.name}`, text, at);
    case 'terms':
      return predicate.values.length === 1 ? fieldEnds(predicate.field, predicate.values[0]!, text, at) : [];
    case 'phrase': {
      const slop = predicate.slop === 0 ? '' : `~${predicate.slop}`;
      return fieldEnds(predicate.field, `"${predicate.words.join(' ')}"${slop}`, text, at);
    }
    case 'prefix':
      return fieldEnds(predicate.field, `${predicate.text}*`, text, at);
    case 'wildcard': {
      const marks = { any: '*', one: '?' };
      const pattern = predicate.parts.map((part) => (part.type === 'text' ? part.text : marks[part.type]));
      return fieldEnds(predicate.field, pattern.join(''), text, at);
    }
    case 'regex':
      return fieldEnds(predicate.field, `/${predicate.pattern.replaceAll('\\', '')}/`, text, at);
    case 'textRange':
      return textRangeEnds(predicate.field, predicate.lower, predicate.upper, text, at);
    case 'range':
      return rangeEnds(predicate.field, predicate.min, predicate.max, text, at);
    case 'is':
      return fieldEnds(predicate.field, String(predicate.value), text, at);
    case 'decimalRange':
    case 'bool':
      return [];
  }
}

function textRangeEnds(
  field: Field,
  lower: TextBound | undefined,
  upper: TextBound | undefined,
  text: string,
  at: number,
): number[] {
  const opening = lower === undefined ? ['[', '{'] : [lower.isInclusive ? '[' : '{'];
  const closing = upper === undefined ? [']', '}'] : [upper.isInclusive ? ']' : '}'];
  return opening.flatMap((open) =>
    closing.flatMap((close) =>
      fieldEnds(field, `${open}${lower?.text ?? '*'} TO ${upper?.text ?? '*'}${close}`, text, at),
    ),
  );
}

function rangeEnds(
  field: Field,
  min: number | undefined,
  max: number | undefined,
  text: string,
  at: number,
): number[] {
  const start = at + name(field).length;
  numberRange.lastIndex = start;
  const found = numberRange.exec(text);
  if (found === null || !text.startsWith(name(field), at)) return [];
  const limit = field.type === 'double' ? Number.POSITIVE_INFINITY : 2 ** 63;
  const isSame = Number(found[1]) === (min ?? -limit) && toNumber(found[2]!) === (max ?? limit);
  return isSame ? [numberRange.lastIndex] : [];
}

const numberRange = /\[(\S+) TO (\S+)\]/y;

/** Lucene tells -0.0 from 0.0 and takes it for the next double below; here that is the smallest negative number. */
function toNumber(text: string): number {
  return text === '-0.0' ? -Number.MIN_VALUE : Number(text);
}

function fieldEnds(field: Field, print: string, text: string, at: number): number[] {
  return literalEnds(name(field) + print, text, at);
}

function name(field: Field): string {
  return field.name === 'message' ? '' : `${field.name}:`;
}

function literalEnds(literal: string, text: string, at: number): number[] {
  return text.startsWith(literal, at) ? [at + literal.length] : [];
}

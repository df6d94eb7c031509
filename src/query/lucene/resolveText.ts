import { otherSpellings } from '../../model/spellings.ts';
import { analyze, lowerCase } from '../analyzer.ts';
import { invalidQuery } from './invalidQuery.ts';
import type { Field } from './mapping.ts';
import { parseNumber } from './numbers.ts';
import { none, type Predicate } from './predicate.ts';
import { resolveEach } from './resolveEach.ts';
import { resolveRange } from './resolveRange.ts';
import type { Phrase, Text } from './tree.ts';

const maxWords = 1_024;

/** A text searched in fields, each in its own way; undefined if it has no words for any of them. */
export function resolveText(
  node: Text | Phrase,
  fields: readonly Field[],
  now: number,
): Predicate | undefined {
  // Terms side by side stay as they are: each becomes a clause of its own.
  const spellings = node.type === 'text' && node.isJoined ? [] : otherSpellings(node.text);
  const texts = [node.text, ...spellings];
  let words: readonly string[] | undefined;
  const wordsOf = (): readonly string[] => {
    words ??= texts.flatMap(analyze);
    if (words.length > maxWords) throw invalidQuery(node.offset, `a text may have ${maxWords} words`);
    return words;
  };
  return resolveEach(fields, (field) => resolveInField(field, node, texts, wordsOf, now));
}

function resolveInField(
  field: Field,
  node: Text | Phrase,
  texts: readonly string[],
  wordsOf: () => readonly string[],
  now: number,
): Predicate | undefined {
  switch (field.type) {
    case 'keyword':
      return { type: 'terms', field, values: field.isFolded ? texts.map(lowerCase) : texts };
    case 'text':
      // Spellings are single words, of which any will do.
      return texts.length > 1
        ? { type: 'terms', field, values: wordsOf() }
        : resolveWords(field, wordsOf(), node, field.isDynamic && parseNumber(node.text) !== undefined);
    case 'long':
    case 'double':
    case 'date':
      return resolveEqual(field, node.text, now);
    case 'boolean':
      if (node.text === 'true' || node.text === 'false')
        return { type: 'is', field, value: node.text === 'true' };
      return unsuited(field);
    case 'object':
      return none;
  }
}

function resolveWords(
  field: Field,
  words: readonly string[],
  node: Text | Phrase,
  isNumber: boolean,
): Predicate | undefined {
  if (words.length === 0) return undefined;
  if (node.type === 'text' || words.length === 1)
    return { type: 'terms', field, values: words, ...(isNumber && { isNumber }) };
  return { type: 'phrase', field, words, slop: node.slop };
}

function resolveEqual(field: Field, text: string, now: number): Predicate | undefined {
  const number = field.type === 'date' ? undefined : parseNumber(text);
  if (field.type !== 'date' && number === undefined) return unsuited(field);
  if (field.type === 'long' && !Number.isInteger(number)) return none;
  const end = { text, isInclusive: true };
  return resolveRange(field, end, end, now);
}

/** A dynamic member may be of any type, so that one which the text cannot be says nothing about the clause. */
function unsuited(field: Field): Predicate | undefined {
  return field.isDynamic ? undefined : none;
}

import { decimalKey } from '../decimalKey.ts';
import { compareText } from './compareText.ts';
import { createPhraseTest } from './createPhraseTest.ts';
import { createValuesOf, type Subject } from './createSubject.ts';
import type { Words } from './createWords.ts';
import { type Field, isList } from './mapping.ts';
import type { Bool, Predicate, TextBound } from './predicate.ts';
import type { Automaton } from './regex/automaton.ts';
import {
  createWildcardAutomaton,
  createWildcardTest,
  longestText,
  loopLength,
  type WildcardPart,
} from './wildcard.ts';

export type Matcher = (subject: Subject) => boolean;

/** Made once for a resolved query and used for many documents. */
export function createMatcher(predicate: Predicate): Matcher {
  switch (predicate.type) {
    case 'all':
      return () => true;
    case 'none':
      return () => false;
    case 'bool':
      return createBoolMatcher(predicate);
    case 'exists':
      return createExistsMatcher(predicate.field);
    case 'terms':
      return createTermsMatcher(predicate);
    case 'phrase':
      return createPhraseMatcher(predicate.field, predicate.words, predicate.slop);
    case 'prefix':
      return createPatternMatcher(
        predicate.field,
        toPattern([{ type: 'text', text: predicate.text }, { type: 'any' }]),
      );
    case 'wildcard':
      return createPatternMatcher(predicate.field, toPattern(predicate.parts));
    case 'regex':
      return createPatternMatcher(predicate.field, {
        needle: '',
        test: predicate.regex.test,
        someWord: (words) => predicate.regex.someWord(words.text()),
      });
    case 'textRange':
      return createTextRangeMatcher(predicate.field, predicate.lower, predicate.upper);
    case 'range':
      return createRangeMatcher(predicate.field, predicate.min, predicate.max);
    case 'decimalRange':
      return createDecimalMatcher(predicate);
    case 'is': {
      const valuesOf = createValuesOf(predicate.field);
      return (subject) => valuesOf(subject).booleans.has(predicate.value);
    }
  }
}

function createBoolMatcher(bool: Bool): Matcher {
  const must = bool.must.map(createMatcher);
  const mustNot = bool.mustNot.map(createMatcher);
  // Beside something required, what is optional only matters where results are ranked.
  const should = must.length > 0 ? [] : bool.should.map(createMatcher);
  return (subject) =>
    must.every((matches) => matches(subject)) &&
    !mustNot.some((matches) => matches(subject)) &&
    (should.length === 0 || should.some((matches) => matches(subject)));
}

function createExistsMatcher(field: Field): Matcher {
  const valuesOf = createValuesOf(field);
  return (subject) => {
    const { strings, numbers, booleans } = valuesOf(subject);
    return strings.length > 0 || (field.type !== 'keyword' && numbers.length + booleans.size > 0);
  };
}

/** The whole values of a keyword field, as they are compared. */
function createTextsOf(field: Field): (subject: Subject) => readonly string[] {
  const valuesOf = createValuesOf(field);
  return (subject) => (field.isFolded ? valuesOf(subject).lowerCase() : valuesOf(subject).strings);
}

function createTermsMatcher({ field, values, isNumber }: Extract<Predicate, { type: 'terms' }>): Matcher {
  if (field.type === 'text') {
    const valuesOf = createValuesOf(field);
    return (subject) => {
      const found = valuesOf(subject);
      if (found.strings.length === 0) return false;
      return values.some((isNumber ? found.wordsBesideNumbers() : found.words()).has);
    };
  }
  const wanted = new Set(values);
  const textsOf = createTextsOf(field);
  return (subject) => textsOf(subject).some((text) => wanted.has(text));
}

function createPhraseMatcher(field: Field, words: readonly string[], slop: number): Matcher {
  const valuesOf = createValuesOf(field);
  if (slop === 0) return (subject) => valuesOf(subject).words().hasPhrase(words);
  const fits = createPhraseTest(words, slop, isList(field));
  return (subject) => {
    const values = valuesOf(subject).words();
    return words.every(values.has) && fits(values.lists());
  };
}

/** `needle` is in every text that fits; it is found fastest. */
type Pattern = {
  readonly needle: string;
  readonly test: (value: string) => boolean;
  readonly someWord: (words: Words) => boolean;
};

function toPattern(parts: readonly WildcardPart[]): Pattern {
  const test = createWildcardTest(parts);
  const needle = longestText(parts);
  if (loopLength(parts) > 0) return { needle, test, someWord: (words) => words.some(test) };
  let automaton: Automaton | undefined;
  return {
    needle,
    test,
    someWord: (words) => {
      automaton ??= createWildcardAutomaton(parts);
      return automaton.someWord(words.text());
    },
  };
}

/** Tries the words of a text field, or the whole values of a keyword field. */
function createPatternMatcher(field: Field, { needle, test, someWord }: Pattern): Matcher {
  if (field.type === 'text') {
    const valuesOf = createValuesOf(field);
    return (subject) => {
      const values = valuesOf(subject);
      if (values.strings.length === 0) return false;
      const words = values.words();
      return words.text().includes(needle) && someWord(words);
    };
  }
  const textsOf = createTextsOf(field);
  return (subject) => textsOf(subject).some((text) => text.includes(needle) && test(text));
}

function createTextRangeMatcher(field: Field, lower?: TextBound, upper?: TextBound): Matcher {
  const isInside = createTextRangeTest(lower, upper);
  if (field.type !== 'text') {
    const textsOf = createTextsOf(field);
    return (subject) => textsOf(subject).some(isInside);
  }
  const valuesOf = createValuesOf(field);
  return (subject) => {
    const values = valuesOf(subject);
    if (values.strings.length === 0) return false;
    const words = values.words();
    const ends = words.ends();
    if (ends === undefined) return false;
    // With an open end, the last or the first word decides.
    if (upper === undefined) return isInside(ends.last);
    return lower === undefined ? isInside(ends.first) : words.some(isInside);
  };
}

function createTextRangeTest(lower?: TextBound, upper?: TextBound): (text: string) => boolean {
  const least = lower?.isInclusive ? 0 : 1;
  const maxComparison = upper?.isInclusive ? 0 : -1;
  return (text) =>
    (lower === undefined || Math.sign(compareText(text, lower.text)) >= least) &&
    (upper === undefined || Math.sign(compareText(text, upper.text)) <= maxComparison);
}

function createRangeMatcher(field: Field, min?: number, max?: number): Matcher {
  const least = min ?? Number.NEGATIVE_INFINITY;
  const most = max ?? Number.POSITIVE_INFINITY;
  const valuesOf = createValuesOf(field);
  return (subject) => valuesOf(subject).numbers.some((value) => value >= least && value <= most);
}

function createDecimalMatcher({
  field,
  lower,
  upper,
}: Extract<Predicate, { type: 'decimalRange' }>): Matcher {
  const from = lower && decimalKey(lower.number);
  const to = upper && decimalKey(upper.number);
  const isAbove = (key: string): boolean =>
    from === undefined || key > from || (key === from && lower?.isInclusive === true);
  const isBelow = (key: string): boolean =>
    to === undefined || key < to || (key === to && upper?.isInclusive === true);
  const valuesOf = createValuesOf(field);
  return (subject) => {
    const keys = valuesOf(subject).decimals();
    // The least number above the lower end decides.
    let [first, end] = [0, keys.length];
    while (first < end) {
      const middle = (first + end) >> 1;
      if (isAbove(keys[middle]!)) end = middle;
      else first = middle + 1;
    }
    const least = keys[first];
    return least !== undefined && isBelow(least);
  };
}

import { lowerCase } from '../analyzer.ts';
import { compareText } from './compareText.ts';
import type { Field } from './mapping.ts';
import { createPhraseTest } from './phrase.ts';
import type { Bool, Predicate, TextBound } from './predicate.ts';
import { createSomeValue, createWordsOf, type Subject, toText } from './subject.ts';
import { createWildcardTest } from './wildcard.ts';

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
      return createStringMatcher(predicate.field, createTermsTest(predicate.values));
    case 'phrase':
      return createPhraseMatcher(predicate.field, createPhraseTest(predicate.words, predicate.slop));
    case 'prefix':
      return createStringMatcher(predicate.field, (text) => text.startsWith(predicate.text));
    case 'wildcard':
      return createStringMatcher(predicate.field, createWildcardTest(predicate.parts));
    case 'regex':
      return createStringMatcher(predicate.field, predicate.regex.test);
    case 'textRange':
      return createStringMatcher(predicate.field, createTextRangeTest(predicate.lower, predicate.upper));
    case 'range':
      return createRangeMatcher(predicate.field, predicate.min, predicate.max);
    case 'is':
      return createSomeValue(predicate.field, (value) => value === predicate.value);
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
  return createSomeValue(field, (value) => field.type !== 'keyword' || toText(field, value) !== undefined);
}

/** Tries the words of a text field, or the whole values of a keyword field. */
function createStringMatcher(field: Field, passes: (text: string) => boolean): Matcher {
  if (field.type === 'text') {
    const wordsOf = createWordsOf(field);
    return (subject) => wordsOf(subject).some((words) => words.some(passes));
  }
  return createSomeValue(field, (value) => {
    const text = toText(field, value);
    return text !== undefined && passes(field.isFolded ? lowerCase(text) : text);
  });
}

function createTermsTest(values: readonly string[]): (text: string) => boolean {
  const [only] = values;
  if (values.length === 1) return (text) => text === only;
  const set = new Set(values);
  return (text) => set.has(text);
}

function createPhraseMatcher(field: Field, passes: (words: readonly string[]) => boolean): Matcher {
  const wordsOf = createWordsOf(field);
  return (subject) => wordsOf(subject).some(passes);
}

function createTextRangeTest(lower?: TextBound, upper?: TextBound): (text: string) => boolean {
  const least = lower?.isInclusive ? 0 : 1;
  const most = upper?.isInclusive ? 0 : -1;
  return (text) =>
    (lower === undefined || Math.sign(compareText(text, lower.text)) >= least) &&
    (upper === undefined || Math.sign(compareText(text, upper.text)) <= most);
}

function createRangeMatcher(field: Field, min?: number, max?: number): Matcher {
  const least = min ?? Number.NEGATIVE_INFINITY;
  const most = max ?? Number.POSITIVE_INFINITY;
  return createSomeValue(field, (value) => typeof value === 'number' && value >= least && value <= most);
}

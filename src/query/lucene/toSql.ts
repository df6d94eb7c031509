import { join, type Sql, sql } from '../../lib/sql.ts';
import { isPlain, lowerCase } from '../analyzer.ts';
import { beginningTerm, isBeginningTerm } from '../beginningTerm.ts';
import { listGap } from './createPhraseTest.ts';
import { type Field, isList } from './mapping.ts';
import { isEmptyRange, literalsOf, type Pattern } from './patternNode.ts';
import type { Bool, Predicate } from './predicate.ts';
import { decimalRangeToSql, flagToSql, rangeToSql } from './rangeToSql.ts';
import { parseRegex } from './regex/parseRegex.ts';
import { nodeToPostgres } from './regex/toPostgres.ts';
import type { RegexNode } from './regex/tree.ts';
import {
  always,
  isWhole,
  joinNarrows,
  type Narrow,
  never,
  orMatcher,
  type SqlPredicate,
} from './sqlPredicate.ts';
import { findColumn, type SqlSource, someMember, someValue } from './sqlSource.ts';
import { beginsWith, contains, wholeTest, wordsTest } from './stringSql.ts';
import { commonFirst, hashSets, joinTerms, termsToSql, textNarrow, wordsInPattern } from './termsToSql.ts';
import { createWildcardTest } from './wildcard.ts';
import { anyWord, regexWord, type WordPattern, wordsInOrder, wordsNear, wordTest } from './wordSql.ts';

/** A resolved query as SQL over the columns of a source. */
export function toSql(predicate: Predicate, source: SqlSource): SqlPredicate {
  switch (predicate.type) {
    case 'all':
      return always;
    case 'none':
      return never;
    case 'bool':
      return boolToSql(predicate, source);
    case 'exists':
      return orMatcher(predicate.field, existsToSql(predicate.field, source));
    case 'terms':
      return termsToSql(predicate, source);
    case 'phrase':
      return phraseToSql(predicate, source);
    case 'regex':
    case 'prefix':
    case 'wildcard':
    case 'textRange':
      return patternToSql(predicate, source);
    case 'range':
      return rangeToSql(predicate, source);
    case 'decimalRange':
      return decimalRangeToSql(predicate, source);
    case 'is':
      return flagToSql(predicate, source);
  }
}

/** Compares values of which nothing but the pattern is known. */
function patternToSql(predicate: Pattern, source: SqlSource): SqlPredicate {
  const { field } = predicate;
  const column = findColumn(field, source)?.column;
  const fits = column?.values && valueTest(predicate);
  if (fits) return termsToSql({ type: 'terms', field, values: column.values?.filter(fits) ?? [] }, source);
  if (column?.characters && !textsOf(predicate).every((text) => column.characters?.test(text))) return never;
  if (predicate.type === 'textRange' && isEmptyRange(predicate)) return never;
  const words = source.wordsOf?.(predicate);
  if (words?.length === 0) return never;
  const isListed =
    words && field.type === 'text' && words.length <= wordsInPattern && !words.some(isBeginningTerm);
  const part = isListed
    ? onWords(field, source, anyWord(commonFirst(words, field, source)))
    : testToSql(predicate, source);
  const narrow = words ? hashSets(field, source, [words]) : beginningNarrow(predicate, source);
  return { ...part, narrow: [...narrow, ...part.narrow] };
}

function testToSql(predicate: Pattern, source: SqlSource): SqlPredicate {
  const { field } = predicate;
  if (predicate.type === 'regex') return regexToSql(predicate, source);
  return field.type === 'text'
    ? onTexts(field, source, (text) => wordsTest(predicate, text, source.oddWords))
    : onKeywords(field, source, (text) => wholeTest(predicate, text));
}

function valueTest(predicate: Pattern): ((value: string) => boolean) | undefined {
  switch (predicate.type) {
    case 'regex':
      return predicate.regex.test;
    case 'prefix':
      return (value) => value.startsWith(predicate.text);
    case 'wildcard':
      return createWildcardTest(predicate.parts);
    case 'textRange':
      return undefined;
  }
}

/** The texts that every match contains. */
function textsOf(predicate: Pattern): string[] {
  if (predicate.type === 'prefix') return [predicate.text];
  if (predicate.type === 'regex') return literalsOf(parseRegex(predicate.pattern)).texts;
  if (predicate.type !== 'wildcard') return [];
  return predicate.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** A text that begins like an address has a word that begins so; letters and digits side by side are never cut. */
function beginningNarrow(predicate: Pattern, source: SqlSource): Narrow[] {
  const isOpen =
    predicate.type === 'regex' || (predicate.type === 'wildcard' && predicate.parts[0]?.type !== 'text');
  const [head] = isOpen ? [] : textsOf(predicate);
  const column = findColumn(predicate.field, source)?.column;
  if (!source.hasBeginnings || head === undefined) return [];
  const term = beginningTerm(column?.hashed === 'words' ? lowerCase(head) : head);
  return term !== undefined && isPlain(term.slice(3)) ? hashSets(predicate.field, source, [[term]]) : [];
}

function boolToSql(bool: Bool, source: SqlSource): SqlPredicate {
  const must = bool.must.map((child) => toSql(child, source));
  const should = bool.must.length > 0 ? [] : shouldToSql(bool.should, source);
  if (bool.must.length === 0 && bool.should.length > 0 && should.length === 0) return never;
  const mustNot = bool.mustNot.map((child) => toSql(child, source));
  const parts = [
    ...must.map((part) => part.condition),
    ...(should.length > 0
      ? [
          sql`(${join(
            should.map((part) => part.condition),
            ' or ',
          )})`,
        ]
      : []),
    // An inexact condition cannot be negated: the matcher has to exclude.
    ...mustNot.filter((part) => part.isExact).map((part) => sql`not ${part.condition}`),
  ];
  const isExact = [...must, ...should, ...mustNot].every((part) => part.isExact);
  const choices = should.flatMap(({ narrow, choice }) => toOne(narrow) ?? choice ?? []);
  const isNarrow = should.some(({ narrow }) => narrow.length > 0) && choices.length === should.length;
  const common = must.length + mustNot.length === 0 ? should.find((part) => part.common)?.common : undefined;
  return {
    ...(common ? { common } : {}),
    condition: parts.length === 0 ? sql`true` : sql`(${join(parts, ' and ')})`,
    isExact,
    narrow: [...must.flatMap((part) => part.narrow), ...(isNarrow ? [joinNarrows(choices)] : [])],
    early: must.flatMap((part) => part.early ?? []),
  };
}

function toOne([narrow, ...rest]: readonly Narrow[]): Narrow | undefined {
  if (narrow === undefined || rest.length === 0) return narrow;
  return { hashes: [], all: [[narrow, ...rest]] };
}

function shouldToSql(should: readonly Predicate[], source: SqlSource): SqlPredicate[] {
  const { joined, others } = joinTerms(should, source);
  const parts = others.map((child) => ({ part: toSql(child, source), effort: effortOf(child, source) }));
  parts.sort((a, b) => a.effort - b.effort);
  const find = (least: number, most: number) =>
    parts.filter(({ effort }) => effort >= least && effort <= most).map(({ part }) => part);
  const last = find(2, 3).filter((part) => part !== never);
  return [
    ...[...find(0, 0), ...joined, ...find(1, 1)].filter((part) => part !== never),
    ...testHashes(last, source),
  ];
}

/** Tells which rows need not be compared word by word; more hashes take longer than they save. */
const maxRowHashes = 32;

/** Puts a test of hashes before alternatives that take long; those without hashes come last. */
function testHashes(parts: readonly SqlPredicate[], { terms }: SqlSource): SqlPredicate[] {
  const hashed = parts.flatMap((part) => {
    const lists = part.narrow.filter(({ rows = [], all = [] }) => rows.length + all.length === 0);
    const [shortest] = lists.map(({ hashes }) => hashes).toSorted((a, b) => a.length - b.length);
    return shortest ? [{ part, hashes: shortest }] : [];
  });
  const hashes = [...new Set(hashed.flatMap((list) => list.hashes))];
  if (!terms || hashed.length === 0 || hashes.length > maxRowHashes) return [...parts];
  const test = sql`${terms} && ${hashes}::int4[]`;
  return [
    ...hashed.map(({ part }) => ({ ...part, condition: sql`(${test} and ${part.condition})` })),
    ...parts.filter((part) => !hashed.some((list) => list.part === part)),
  ];
}

/** Of alternatives PostgreSQL tries the first ones first: numbers are compared sooner than texts, and these than words. */
function effortOf(predicate: Predicate, source: SqlSource): number {
  if (!('field' in predicate)) return 3;
  const column = findColumn(predicate.field, source)?.column;
  if (column?.store === 'json') return 3;
  if (column?.store === 'number' || column?.store === 'boolean' || column?.codes) return 0;
  return predicate.field.type === 'text' ? 2 : 1;
}

function phraseToSql(
  { field, words, slop }: Extract<Predicate, { type: 'phrase' }>,
  source: SqlSource,
): SqlPredicate {
  const narrow = hashSets(
    field,
    source,
    [...new Set(words)].map((word) => [word]),
  );
  const [first = '', second = ''] = words;
  const isNear = slop > 0 && slop <= maxGap && words.length === 2;
  const inOrder = isNear ? wordsNear(first, second, slop) : wordsInOrder(words);
  // With more of either the words may stand anywhere, and the matcher decides.
  const patterns = slop === 0 || isNear ? [inOrder] : words.map((word) => anyWord([word]));
  const holds = (text: Sql) =>
    join(
      patterns.map((pattern) => wordTest(text, source.oddWords, pattern)),
      ' and ',
    );
  // Wide enough to reach from one value of a list into the next: each word may be in another one.
  const isWide = slop >= listGap && isList(field);
  const part = isWide
    ? boolToSql(
        { type: 'bool', must: words.map((word) => oneWord(field, word)), should: [], mustNot: [] },
        source,
      )
    : onTexts(field, source, holds);
  return {
    ...part,
    isExact: part.isExact && (slop === 0 || isNear),
    narrow: [...narrow, ...part.narrow],
  };
}

function oneWord(field: Field, word: string): Predicate {
  return { type: 'terms', field, values: [word] };
}

/** A regular expression with a wider gap takes longer to compile than the matcher to decide. */
const maxGap = 20;

function existsToSql(field: Field, source: SqlSource): Sql {
  const condition = someValue(field, source, field.type === 'keyword' ? 'string' : 'any', () => sql`true`);
  return isWhole(field) ? condition : sql`(${someMember(field, source)} and ${condition})`;
}

function onWords(field: Field, source: SqlSource, pattern: WordPattern): SqlPredicate {
  return onTexts(field, source, (text) => wordTest(text, source.oddWords, pattern));
}

function onTexts(field: Field, source: SqlSource, test: (text: Sql) => Sql): SqlPredicate {
  return { ...orMatcher(field, someValue(field, source, 'string', test)), narrow: textNarrow(field, source) };
}

/** Hands over the whole text of a keyword. */
function onKeywords(field: Field, source: SqlSource, test: (text: Sql) => Sql): SqlPredicate {
  return onTexts(field, source, (text) => test(field.isFolded ? sql`lower(${text})` : text));
}

/** Without an expression for PostgreSQL, every row with a value is a candidate and the matcher decides. */
function regexToSql(
  { field, pattern }: Extract<Predicate, { type: 'regex' }>,
  source: SqlSource,
): SqlPredicate {
  const unknown = {
    condition: existsToSql(field, source),
    isExact: false,
    narrow: textNarrow(field, source),
  };
  const node = parseRegex(pattern);
  if (field.type === 'text') {
    const words = regexWord(node);
    return words ? onWords(field, source, words) : (partsToSql(node, field, source) ?? unknown);
  }
  const expression = nodeToPostgres(node, 'value');
  if (expression === undefined) return partsToSql(node, field, source) ?? unknown;
  // Most texts are ruled out sooner by a text that all matches have.
  const { beginning, texts } = literalsOf(node);
  const [longest = ''] = texts.toSorted((a, b) => b.length - a.length);
  const holds = (text: Sql) => (beginning === '' ? contains(text, longest) : beginsWith(text, beginning));
  return onKeywords(field, source, (text) => sql`(${holds(text)} and ${text} ~ ${`^(?:${expression})$`})`);
}

/**
 * The parts of an intersection, for a matcher that decides if one value fits all. Undefined for anything else, and if
 * PostgreSQL has no expression for any part.
 */
function partsToSql(node: RegexNode, field: Field, source: SqlSource): SqlPredicate | undefined {
  if (node.type !== 'intersection') return undefined;
  const conditions = node.parts.flatMap((part) => {
    if (field.type === 'text') {
      const words = regexWord(part);
      return words ? [onWords(field, source, words).condition] : [];
    }
    const expression = nodeToPostgres(part, 'value');
    if (expression === undefined) return [];
    return [onKeywords(field, source, (text) => sql`${text} ~ ${`^(?:${expression})$`}`).condition];
  });
  if (conditions.length === 0) return undefined;
  return { condition: join(conditions, ' and '), isExact: false, narrow: textNarrow(field, source) };
}

/** For rows that are read anyway: the condition, after what is compared sooner and the hashes where these are few. */
export function rowTest(predicate: SqlPredicate, terms: Sql): Sql {
  const { early = [], narrow, condition } = predicate;
  const count = narrow.reduce((sum, { hashes }) => sum + hashes.length, 0);
  return join([...early, count > maxRowHashes ? condition : narrowed(predicate, terms)], ' and ');
}

/** The whole condition of a search: hashes first, which an index answers, then the exact condition. */
export function narrowed(predicate: SqlPredicate, terms: Sql): Sql {
  const tests = predicate.narrow.map((narrow) =>
    hashTest(narrow, (hashes) => sql`${terms} && ${hashes}::int4[]`),
  );
  return join([...tests, predicate.condition], ' and ');
}

/**
 * Conditions that only the index answers; every match passes all. The hashes are hidden from PostgreSQL, which takes
 * unknown ones for common and would read all rows for a list of them.
 */
export function indexTests(predicate: SqlPredicate, terms: Sql): Sql[] {
  return predicate.narrow.map((narrow) =>
    hashTest(narrow, (hashes) => sql`${terms} && (select ${hashes}::int4[])`),
  );
}

function hashTest(
  { hashes, beside = [], rows = [], all = [] }: Narrow,
  hasOne: (hashes: readonly number[]) => Sql,
): Sql {
  const hasAll = sql`(${join([hashes, ...beside].map(hasOne), ' and ')})`;
  const tests = [
    ...(hashes.length > 0 || rows.length + all.length === 0 ? [hasAll] : []),
    ...all.map(
      (list) =>
        sql`(${join(
          list.map((narrow) => hashTest(narrow, hasOne)),
          ' and ',
        )})`,
    ),
    ...rows,
  ];
  return tests.length === 1 ? join(tests, '') : sql`(${join(tests, ' or ')})`;
}

import { join, type Sql, sql } from '../../lib/sql.ts';
import { analyze } from '../analyzer.ts';
import type { Field } from './mapping.ts';
import type { Bool, Predicate } from './predicate.ts';
import { toPostgres } from './regex/toPostgres.ts';
import { findColumn, type SqlSource, someValue } from './sqlSource.ts';
import { wholeTest, wordsTest } from './stringSql.ts';
import { anyWord, regexWord, type WordPattern, wordsInOrder, wordTest } from './wordSql.ts';

/**
 * `condition` is true or false, never null. It is exact, or true for some rows too many: then `isExact` is false and the
 * rows have to pass the matcher as well. `narrow` lists sets of term hashes; a matching row has one of each set.
 */
export type SqlPredicate = { condition: Sql; isExact: boolean; narrow: readonly (readonly number[])[] };

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
      return exact(existsToSql(predicate.field, source));
    case 'terms':
      return termsToSql(predicate.field, predicate.values, source);
    case 'phrase':
      return phraseToSql(predicate, source);
    case 'regex':
      return regexToSql(predicate, source);
    case 'prefix':
    case 'wildcard':
    case 'textRange':
      return predicate.field.type === 'text'
        ? onTexts(predicate.field, source, (text) => wordsTest(predicate, text, source.oddWords))
        : onKeywords(predicate.field, source, (text) => wholeTest(predicate, text));
    case 'range': {
      const { min, max, field } = predicate;
      const value = (number: Sql) =>
        join(
          [
            ...(min === undefined ? [] : [sql`${number} >= ${min}::float8`]),
            ...(max === undefined ? [] : [sql`${number} <= ${max}::float8`]),
            ...(min === undefined && max === undefined ? [sql`true`] : []),
          ],
          ' and ',
        );
      return orMatcher(field, someValue(field, source, 'number', value));
    }
    case 'is':
      return orMatcher(
        predicate.field,
        someValue(predicate.field, source, 'boolean', (flag) => sql`${flag} = ${predicate.value}`),
      );
  }
}

const always: SqlPredicate = { condition: sql`true`, isExact: true, narrow: [] };
const never: SqlPredicate = { condition: sql`false`, isExact: true, narrow: [] };
const exact = (condition: Sql): SqlPredicate => ({ condition, isExact: true, narrow: [] });

/** A field that stands for members by a pattern of their names is looked for in all members; the matcher sorts it out. */
function orMatcher(field: Field, condition: Sql): SqlPredicate {
  return { condition, isExact: isWhole(field), narrow: [] };
}

function isWhole(field: Field): boolean {
  return field.glob === undefined || field.glob === '*' || field.glob === `${field.path.join('.')}.*`;
}

function boolToSql(bool: Bool, source: SqlSource): SqlPredicate {
  const must = bool.must.map((child) => toSql(child, source));
  const should =
    bool.must.length > 0
      ? []
      : bool.should.map((child) => toSql(child, source)).filter((part) => part !== never);
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
    // What is only roughly known cannot be excluded: the matcher has to.
    ...mustNot.filter((part) => part.isExact).map((part) => sql`not ${part.condition}`),
  ];
  const isExact = [...must, ...should, ...mustNot].every((part) => part.isExact);
  const narrowAny = should.length > 0 && should.every((part) => part.narrow.length > 0);
  return {
    condition: parts.length === 0 ? sql`true` : sql`(${join(parts, ' and ')})`,
    isExact,
    narrow: [
      ...must.flatMap((part) => part.narrow),
      ...(narrowAny ? [[...new Set(should.flatMap((part) => part.narrow[0]!))]] : []),
    ],
  };
}

function termsToSql(field: Field, values: readonly string[], source: SqlSource): SqlPredicate {
  const column = findColumn(field, source);
  const isPossible = column?.column.isPossible ?? (() => true);
  const possible = values.filter(isPossible);
  if (!column || possible.length === 0) return never;
  if (field.type === 'text') {
    const part = onWords(field, source, anyWord(possible));
    return { ...part, narrow: hashSets(field, source, [possible]) };
  }
  const part = onKeywords(field, source, (text) => sql`${text} = any(${possible})`);
  return { ...part, narrow: keywordNarrow(field, possible, source) };
}

/** A keyword that is kept whole is hashed whole; the whole of a text has all of its words. */
function keywordNarrow(
  field: Field,
  values: readonly string[],
  source: SqlSource,
): readonly (readonly number[])[] {
  const hashed = findColumn(field, source)?.column.hashed;
  if (hashed === 'whole') return hashSets(field, source, [values]);
  if (hashed !== 'words' || values.length !== 1) return [];
  return hashSets(
    field,
    source,
    [...new Set(analyze(values[0]!))].slice(0, 4).map((word) => [word]),
  );
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
  // With slop the words may stand anywhere, and the matcher decides.
  const holds = (text: Sql) =>
    join(
      (slop === 0 ? [wordsInOrder(words)] : words.map((word) => anyWord([word]))).map((pattern) =>
        wordTest(text, source.oddWords, pattern),
      ),
      ' and ',
    );
  const part = onTexts(field, source, holds);
  return { ...part, isExact: part.isExact && slop === 0, narrow };
}

function hashSets(field: Field, source: SqlSource, sets: readonly (readonly string[])[]): number[][] {
  const column = findColumn(field, source);
  if (!source.hash || !column?.column.hashed) return [];
  const { hash } = source;
  return sets.map((terms) => terms.flatMap((term) => hash(column.name, term)));
}

function existsToSql(field: Field, source: SqlSource): Sql {
  return someValue(field, source, field.type === 'keyword' ? 'string' : 'any', () => sql`true`);
}

function onWords(field: Field, source: SqlSource, pattern: WordPattern): SqlPredicate {
  return onTexts(field, source, (text) => wordTest(text, source.oddWords, pattern));
}

function onTexts(field: Field, source: SqlSource, test: (text: Sql) => Sql): SqlPredicate {
  return orMatcher(field, someValue(field, source, 'string', test));
}

/** Hands over the whole text of a keyword. */
function onKeywords(field: Field, source: SqlSource, test: (text: Sql) => Sql): SqlPredicate {
  return onTexts(field, source, (text) => test(field.isFolded ? sql`lower(${text})` : text));
}

/** Where PostgreSQL has no such expression, every row with a value is a candidate and the matcher decides. */
function regexToSql(
  { field, pattern }: Extract<Predicate, { type: 'regex' }>,
  source: SqlSource,
): SqlPredicate {
  const unknown = { condition: existsToSql(field, source), isExact: false, narrow: [] };
  if (field.type === 'text') {
    const words = regexWord(pattern);
    return words ? onWords(field, source, words) : unknown;
  }
  const expression = toPostgres(pattern, 'value');
  if (expression === undefined) return unknown;
  return onKeywords(field, source, (text) => sql`${text} ~ ${`^(?:${expression})$`}`);
}

/** The whole condition of a search: hashes first, which an index answers, then the exact condition. */
export function narrowed(predicate: SqlPredicate, terms: Sql): Sql {
  const sets = predicate.narrow.map((hashes) => sql`${terms} && ${hashes}::int4[]`);
  return join([...sets, predicate.condition], ' and ');
}

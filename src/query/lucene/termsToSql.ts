import { integer, join, type Sql, sql } from '../../lib/sql.ts';
import { analyze } from '../analyzer.ts';
import { textTerm, wholeTerm } from '../memberTerms.ts';
import { wordsSql } from '../plainWords.ts';
import type { Field } from './mapping.ts';
import type { Predicate } from './predicate.ts';
import {
  anyTerm,
  isWhole,
  joinNarrows,
  type Narrow,
  never,
  orMatcher,
  type SqlPredicate,
} from './sqlPredicate.ts';
import {
  findColumn,
  isPlainDecimalSql,
  memberName,
  type SqlColumn,
  type SqlSource,
  someValue,
} from './sqlSource.ts';
import { anyWord, wordTest } from './wordSql.ts';

type Terms = Extract<Predicate, { type: 'terms' }>;

export function termsToSql({ field, values, isNumber }: Terms, source: SqlSource): SqlPredicate {
  const location = findColumn(field, source);
  const isPossible = location?.column.isPossible ?? (() => true);
  const possible = values.filter(isPossible);
  if (!location || possible.length === 0) return never;
  if (field.type === 'text') {
    const hasWord = anyWordTest(commonFirst(possible, field, source), source);
    const test = (text: Sql) =>
      isNumber ? sql`(${hasWord(text)} and not ${isPlainDecimalSql(text)})` : hasWord(text);
    const part = orMatcher(field, someValue(field, source, 'string', test));
    return { ...part, narrow: [...hashSets(field, source, [possible]), ...textNarrow(field, source)] };
  }
  const { column } = location;
  if (column.codes) return codesToSql(field, possible, column.codes, source);
  return {
    ...orMatcher(field, keywordTest(field, possible, column, source)),
    narrow: keywordNarrow(field, possible, source),
  };
}

/** PostgreSQL takes long to compile an expression of many words, but compares lists fast. */
export const wordsInPattern = 32;

function anyWordTest(words: readonly string[], { oddWords }: SqlSource): (text: Sql) => Sql {
  if (words.length > wordsInPattern)
    return (text) => sql`string_to_array(${wordsSql(text, oddWords)}, ' ') && ${words}::text[]`;
  const pattern = anyWord(words);
  return (text) => wordTest(text, oddWords, pattern);
}

/** The words of a field with the most common one first. */
export function commonFirst(words: readonly string[], field: Field, source: SqlSource): readonly string[] {
  const { countOf } = source;
  const name = findColumn(field, source)?.name;
  if (!countOf || name === undefined || words.length < 2 || words.length > wordsInPattern) return words;
  const counts = words.map((word) => countOf(name, word));
  const most = words[counts.indexOf(Math.max(...counts))]!;
  return [most, ...words.filter((word) => word !== most)];
}

/** Beyond this, a list of hashes takes longer than it saves. */
const maxHashes = 10_000;

/** Each word of each set as the inverted index has it, if the field is in it. */
export function hashSets(field: Field, source: SqlSource, sets: readonly (readonly string[])[]): Narrow[] {
  const column = findColumn(field, source);
  if (!source.hash || !column?.column.hashed) return [];
  const { hash } = source;
  const hashed = sets.map((terms) => anyTerm(terms.map((term) => hash(column.name, term))));
  return hashed.every(({ hashes }) => hashes.length <= maxHashes) ? hashed : [];
}

/** A dynamic member has a text of any kind. */
export function textNarrow(field: Field, source: SqlSource): Narrow[] {
  const column = findColumn(field, source)?.column;
  if (!source.hash || !source.hasMemberTerms || column?.store !== 'json' || !column.hashed) return [];
  return field.glob === undefined ? [anyTerm([source.hash(memberName(field), textTerm)])] : [];
}

function keywordTest(field: Field, values: readonly string[], column: SqlColumn, source: SqlSource): Sql {
  if (column.store === 'text[]' && !field.isFolded)
    return sql`coalesce(${column.sql} && ${values}::text[], false)`;
  return someValue(
    field,
    source,
    'string',
    (text) => sql`${field.isFolded ? sql`lower(${text})` : text} = any(${values})`,
  );
}

/** A value has a good part of all rows, which are sooner read in order than found by their hash. */
function codesToSql(
  field: Field,
  values: readonly string[],
  { sql: code, of }: NonNullable<SqlColumn['codes']>,
  source: SqlSource,
): SqlPredicate {
  const numbers = values.flatMap((value) => of.get(value) ?? []);
  if (numbers.length === 0) return never;
  const [choice] = hashSets(field, source, [values]);
  const condition = sql`(${code} is not null and ${code} = any(${numbers}::int[]))`;
  // PostgreSQL would test equality, and a list, after the hashes of a row; bounds that it does not see, it takes for narrow ones.
  const early = sql`${code} between ${integer(Math.min(...numbers))} and ${integer(Math.max(...numbers))}`;
  return { ...orMatcher(field, condition), early: [early], ...(choice ? { choice } : {}) };
}

/** A keyword that is kept whole is hashed whole; the whole of a text has all of its words. */
function keywordNarrow(field: Field, values: readonly string[], source: SqlSource): Narrow[] {
  const column = findColumn(field, source)?.column;
  if (column?.find) return [{ hashes: [], rows: [column.find(values)] }];
  if (column?.hashed === 'whole') return wholeSets(field, values, source);
  if (column?.hashed !== 'words') return [];
  const whole = wholeNarrow(field, values, source);
  if (whole) return [whole];
  const words = values.map((value) => [...new Set(analyze(value))]);
  const [only = [], ...rest] = words;
  if (rest.length === 0)
    return hashSets(
      field,
      source,
      only.slice(0, 4).map((word) => [word]),
    );
  // Of several values, as of an address in all its spellings, a row has the longest word of one.
  const longest = words.flatMap((list) => list.toSorted((a, b) => b.length - a.length).slice(0, 1));
  return longest.length === values.length ? hashSets(field, source, [[...new Set(longest)]]) : [];
}

/** Rows that have one of these values as a whole, by their terms or, where they need none, by another index. */
function wholeSets(field: Field, values: readonly string[], source: SqlSource): Narrow[] {
  const unhashed = findColumn(field, source)?.column.findUnhashed?.(values);
  const rows = unhashed && [source.tenants ? sql`(${source.tenants} and ${unhashed})` : unhashed];
  return hashSets(field, source, [values]).map((set) => (rows ? { ...set, rows } : set));
}

/** The short values of a dynamic member, as the index has them as a whole. */
function wholeNarrow(field: Field, values: readonly string[], source: SqlSource): Narrow | undefined {
  const { hash } = source;
  const location = findColumn(field, source);
  if (!hash || !source.hasMemberTerms || location?.column.store !== 'json') return undefined;
  if (field.isFolded || field.glob !== undefined || values.length > maxHashes) return undefined;
  const terms = values.map(wholeTerm).filter((term) => term !== undefined);
  return terms.length < values.length
    ? undefined
    : anyTerm(terms.map((term) => hash(memberName(field), term)));
}

/**
 * Alternatives with fewer expressions, because each is planned for every partition: columns that are compared with the same
 * values become one test, and a whole text is not compared where its words are.
 */
export function joinTerms(
  alternatives: readonly Predicate[],
  source: SqlSource,
): { joined: SqlPredicate[]; others: Predicate[] } {
  const words = wordsByPath(alternatives);
  const byValues = new Map<string, SameTerms>();
  const rest: Predicate[] = [];
  for (const predicate of alternatives) {
    if (predicate.type !== 'terms') rest.push(predicate);
    else if (isCovered(predicate, words)) continue;
    else {
      const column = plainTextColumn(predicate.field, source);
      const { values } = predicate;
      const same = byValues.get(JSON.stringify(values));
      if (!column) rest.push(predicate);
      else if (same) same.terms.push({ predicate, column });
      else byValues.set(JSON.stringify(values), { values, terms: [{ predicate, column }] });
    }
  }
  const groups = [...byValues.values()];
  const single = groups.filter(({ terms }) => terms.length === 1);
  rest.push(...single.flatMap(({ terms }) => terms.map(({ predicate }) => predicate)));
  const joined = groups.filter(({ terms }) => terms.length > 1).map((group) => joinColumns(group, source));
  return { joined, others: rest };
}

/** Terms of several fields that have the same values. */
type SameTerms = {
  readonly values: Terms['values'];
  readonly terms: { readonly predicate: Terms; readonly column: SqlColumn }[];
};

/** The words that are searched in each text. */
function wordsByPath(alternatives: readonly Predicate[]): Map<string, Set<string>> {
  const words = new Map<string, Set<string>>();
  for (const predicate of alternatives) {
    if (predicate.type !== 'terms' || predicate.field.type !== 'text' || predicate.isNumber) continue;
    if (!isWhole(predicate.field)) continue;
    const path = predicate.field.path.join('.');
    const ofPath = words.get(path) ?? new Set();
    for (const value of predicate.values) ofPath.add(value);
    words.set(path, ofPath);
  }
  return words;
}

/** The whole of a text has all of its words, one of which another alternative searches. */
function isCovered({ field, values }: Terms, words: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (field.type !== 'keyword' || field.isFolded) return false;
  const searched = words.get(field.path.join('.'));
  return searched !== undefined && values.every((value) => analyze(value).some((word) => searched.has(word)));
}

/** The column of a keyword, if it is one that nothing but its text decides. */
function plainTextColumn(field: Field, source: SqlSource): SqlColumn | undefined {
  const column = findColumn(field, source)?.column;
  const isPlain =
    field.type === 'keyword' &&
    column?.store === 'text' &&
    column.hashed !== 'words' &&
    !column.isPossible &&
    !column.codes;
  return isPlain ? column : undefined;
}

function joinColumns({ values, terms }: SameTerms, source: SqlSource): SqlPredicate {
  const texts = terms.map(({ predicate, column }) =>
    predicate.field.isFolded ? sql`lower(${column.sql})` : column.sql,
  );
  const narrow = terms.map(({ predicate }) => wholeSets(predicate.field, values, source));
  return {
    condition: sql`(array[${join(texts, ', ')}] && ${values}::text[])`,
    isExact: true,
    narrow: narrow.every((sets) => sets.length > 0) ? [joinNarrows(narrow.flat())] : [],
  };
}

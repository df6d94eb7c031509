import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { empty, join, raw, type Sql, sql } from '../../../lib/sql.ts';
import { lowerCase } from '../../../query/analyzer.ts';
import { beginningTerms } from '../../../query/beginningTerm.ts';
import { fitsShape } from '../../../query/lucene/fitsShape.ts';
import {
  containing,
  isEmptyRange,
  literalsOf,
  type Pattern,
  patternNode,
} from '../../../query/lucene/patternNode.ts';
import type { Predicate } from '../../../query/lucene/predicate.ts';
import type { RegexNode } from '../../../query/lucene/regex/tree.ts';
import { findColumn, type SqlColumn } from '../../../query/lucene/sqlSource.ts';
import { beginsWith, contains, wholeTest } from '../../../query/lucene/stringSql.ts';
import { isAsciiShape } from '../../../query/wordEntry.ts';
import type { Db } from '../../db/db.ts';
import { groupByShard } from '../../db/shards/groupByShard.ts';
import { wordFields } from '../terms/alertWords.ts';

/**
 * Lists for each pattern the words, or terms of word beginnings, of which every match has one. Patterns with missing or
 * too many words are left out and tried on the alerts themselves.
 */
export async function expandPatterns(
  db: Db,
  predicate: Predicate,
  columns: ReadonlyMap<string, SqlColumn>,
  tenantIds: readonly number[],
): Promise<ReadonlyMap<Pattern, readonly string[]>> {
  const expanded = new Map<Pattern, readonly string[]>();
  const questions = collectQuestions(predicate, columns);
  if (questions.length === 0 || questions.length > maxQuestions) return expanded;
  const found = await readWords(db, questions, tenantIds);
  for (const [index, question] of questions.entries()) {
    const rows = found[index] ?? [];
    if (rows.length > maxRead) continue;
    const words = await fittingWords(question, rows);
    for (const { pattern, field } of question.asked) {
      const list = words.get(field);
      if (list !== 'unknown') expanded.set(pattern, [...(list ?? [])]);
    }
  }
  return expanded;
}

/** Different patterns for which the dictionary is read; it is read at once for all fields of one. */
const maxQuestions = 8;
/** Words that may be read for a question, of which so many may fit. */
const maxRead = 20_000;
const maxFitting = 256;
/** Words that may have to be compared for a question; of more tenants or fields, alerts are tried one by one. */
const maxScanned = 500_000;
const wordsPerTurn = 1_000;

/** One test of words, and who asks. */
type Question = {
  node: RegexNode;
  /** Finds the words; not exactly where `test` is given. */
  condition: Sql;
  test?: (word: string) => boolean;
  asked: { pattern: Pattern; field: number }[];
};

function collectQuestions(predicate: Predicate, columns: ReadonlyMap<string, SqlColumn>): Question[] {
  const questions = new Map<string, Question>();
  const visit = (part: Predicate): void => {
    if (part.type === 'bool')
      for (const clause of [...part.must, ...part.should, ...part.mustNot]) visit(clause);
    if (
      part.type !== 'regex' &&
      part.type !== 'prefix' &&
      part.type !== 'wildcard' &&
      part.type !== 'textRange'
    )
      return;
    if (part.type === 'textRange' && isEmptyRange(part)) return;
    const found = findColumn(part.field, { columns });
    const field = wordFields.get(found?.name ?? '');
    if (!found?.column.hashed || found.column.values || field === undefined) return;
    const isPart = part.field.type === 'keyword' && found.column.hashed === 'words';
    const key = questionKey(part, isPart);
    const question = questions.get(key) ?? (isPart ? partQuestion(part) : wholeQuestion(part));
    if (!question) return;
    question.asked.push({ pattern: part, field });
    questions.set(key, question);
  };
  visit(predicate);
  return [...questions.values()];
}

function questionKey(pattern: Pattern, isPart: boolean): string {
  const { field: _field, ...rest } = pattern;
  return JSON.stringify([isPart, rest]);
}

/** The words or whole values that fit the pattern. */
function wholeQuestion(pattern: Pattern): Question | undefined {
  const node = patternNode(pattern);
  if (!node) return undefined;
  const { beginning, texts } = literalsOf(node);
  const bounds = beginningBounds(beginning);
  if (pattern.type !== 'regex')
    return { node, condition: sql`${wholeTest(pattern, sql`word`)}${bounds}`, asked: [] };
  const needle = longest(texts);
  const condition = beginning !== '' ? beginsWith(sql`word`, beginning) : contains(sql`word`, needle);
  return { node, condition: sql`${condition}${bounds}`, test: pattern.regex.test, asked: [] };
}

/** PostgreSQL sees how a bound pattern begins only if it plans the statement for every question. */
function beginningBounds(beginning: string): Sql {
  if (beginning === '') return empty;
  const beyond = textAfter(beginning);
  return sql` and word >= ${beginning}${beyond === '' ? empty : sql` and word < ${beyond}`}`;
}

/** The first text in code point order that comes after all which begin so; empty if there is none. */
function textAfter(beginning: string): string {
  const points = Array.from(beginning, (letter) => letter.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return '';
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}

/**
 * A whole text that fits has a word with the letters and digits that stand side by side in the pattern, because they are
 * never cut; with those at its beginning the word begins.
 */
function partQuestion(pattern: Pattern): Question | undefined {
  const whole = patternNode(pattern);
  if (!whole) return undefined;
  const { beginning, texts } = literalsOf(whole);
  const run = lowerCase(longest(texts.flatMap((text) => text.match(/[0-9A-Za-z]+/g) ?? [])));
  const first = lowerCase(/^[0-9A-Za-z]+/.exec(beginning)?.[0] ?? '');
  if (run === '') return undefined;
  if (first.length < Math.min(3, run.length))
    return { node: containing(run), condition: contains(sql`word`, run), asked: [] };
  const prefix: Pattern = { type: 'prefix', field: pattern.field, text: first };
  return wholeQuestion(prefix);
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}

type Row = { question: number; field: number; word: string | null; isShape: boolean };

/** A row without a word says that the dictionary does not have all words of the field, or too many to compare. */
async function readWords(
  db: Db,
  questions: readonly Question[],
  tenantIds: readonly number[],
): Promise<Row[][]> {
  const found: Row[][] = questions.map(() => []);
  const read = async (tenantDb: Db, ids: readonly number[]) => {
    for (const row of await tenantDb.repeated<Row>(selectWords(questions, ids)))
      found[row.question]?.push(row);
  };
  // Of one tenant, the caller asks where it is.
  if (tenantIds.length < 2 || !(await db.isDistributed('alert_word'))) await read(db, tenantIds);
  else
    for (const [tenantId, ids] of await groupByShard(db, tenantIds, (id) => id))
      await read(db.atTenant?.(tenantId) ?? db, ids);
  return found;
}

/** One statement, so one snapshot. */
function selectWords(questions: readonly Question[], tenantIds: readonly number[]): Sql {
  const statements = questions.map(({ condition, asked }, question) => {
    const fields = [...new Set(asked.map(({ field }) => field))];
    // A list of one would be planned for every question, because PostgreSQL expects ten in a list that it does not see.
    const owner = sql`${isOneOf('tenant_id', 'bigint', tenantIds)} and ${isOneOf('field', 'smallint', fields)}`;
    const isSmall = sql`(select coalesce(sum(words), 0) <= ${maxScanned} from alert_word_field where ${owner})`;
    return sql`(select ${question}::int as question, field, word, is_shape as "isShape" from alert_word
        where ${owner} and is_shape and ${isSmall}
      union all
      (select ${question}::int, field, word, false from alert_word
        where ${owner} and not is_shape and ${condition} and ${isSmall} limit ${maxRead + 1})
      union all
      select ${question}::int, field, null, false from alert_word_field
        where ${owner} and (skipped_month is not null or not ${isSmall})
      limit ${maxRead + 1})`;
  });
  return join(statements, ' union all ');
}

function isOneOf(column: string, type: string, values: readonly number[]): Sql {
  return values.length === 1
    ? sql`${raw(column)} = ${values[0]}::${raw(type)}`
    : sql`${raw(column)} = any(${values}::${raw(type)}[])`;
}

/** By field; of words of which the dictionary has the shape alone, the terms of how they begin. */
async function fittingWords(
  { node, test = () => true }: Question,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, ReadonlySet<string> | 'unknown'>> {
  const words = new Map<number, Set<string> | 'unknown'>();
  const shapes = new Map<number, Set<string>>();
  for (const [index, { field, word, isShape }] of rows.entries()) {
    if (index % wordsPerTurn === wordsPerTurn - 1) await yieldToEventLoop();
    const list = words.get(field) ?? new Set<string>();
    words.set(field, list);
    if (word === null) words.set(field, 'unknown');
    else if (isShape) shapes.set(field, (shapes.get(field) ?? new Set()).add(word));
    else if (list !== 'unknown' && test(word) && list.add(word).size > maxFitting)
      words.set(field, 'unknown');
  }
  const tried = new Map<string, boolean>();
  const fits = (some: readonly string[]): boolean => {
    const key = some.join(' ');
    const found = tried.get(key) ?? fitsShape(node, some);
    tried.set(key, found);
    return found;
  };
  const beginnings = beginningTerms(literalsOf(node).beginning);
  for (const [field, ofField] of shapes) {
    const list = words.get(field) ?? new Set();
    if (list === 'unknown') continue;
    const all = [...ofField];
    const open = beginnings ? all.filter((shape) => !isAsciiShape(shape)) : all;
    if (fits(open)) words.set(field, 'unknown');
    else if (open.length < all.length && fits(all)) for (const term of beginnings ?? []) list.add(term);
    await yieldToEventLoop();
  }
  return words;
}

import { join, type Sql, sql } from '../../lib/sql.ts';
import type { Field } from './mapping.ts';
import type { Predicate } from './predicate.ts';

type StringPredicate = Extract<Predicate, { type: 'prefix' | 'wildcard' | 'textRange' }>;

/** A test on the whole text of a keyword, or on the words of a text, which stand between spaces. */
export function stringTest(predicate: StringPredicate, text: Sql): Sql {
  const isWords = predicate.field.type === 'text';
  switch (predicate.type) {
    case 'prefix':
      if (isWords && predicate.text.includes(' ')) return sql`false`;
      return sql`${text} like ${`${isWords ? '% ' : ''}${likeText(predicate.text)}%`}`;
    case 'wildcard':
      return isWords
        ? wildcardWord(predicate.parts, text)
        : sql`${text} like ${wildcardLike(predicate.parts)}`;
    case 'textRange':
      return isWords ? someWord(text, (word) => inRange(predicate, word)) : inRange(predicate, text);
  }
}

/** Characters that LIKE gives a meaning to stand for themselves. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}

type Parts = Extract<Predicate, { type: 'wildcard' }>['parts'];

function wildcardLike(parts: Parts): string {
  return parts
    .map((part) => (part.type === 'text' ? likeText(part.text) : part.type === 'any' ? '%' : '_'))
    .join('');
}

/** LIKE would run over the end of a word, so each word is tried by itself. */
function wildcardWord(parts: Parts, text: Sql): Sql {
  return someWord(text, (word) => sql`${word} like ${wildcardLike(parts)}`);
}

function someWord(text: Sql, test: (word: Sql) => Sql): Sql {
  return sql`exists (select 1 from string_to_table(${text}, ' ') w(word) where w.word <> '' and ${test(sql`w.word`)})`;
}

function inRange(
  { lower, upper }: Extract<Predicate, { type: 'textRange' }> & { field: Field },
  text: Sql,
): Sql {
  return join(
    [
      ...(lower === undefined
        ? []
        : [
            lower.isInclusive
              ? sql`${text} collate "C" >= ${lower.text}`
              : sql`${text} collate "C" > ${lower.text}`,
          ]),
      ...(upper === undefined
        ? []
        : [
            upper.isInclusive
              ? sql`${text} collate "C" <= ${upper.text}`
              : sql`${text} collate "C" < ${upper.text}`,
          ]),
      sql`true`,
    ],
    ' and ',
  );
}

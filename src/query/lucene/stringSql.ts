import { join, type Sql, sql } from '../../lib/sql.ts';
import { wordsSql } from '../plainWords.ts';
import type { Field } from './mapping.ts';
import { patternNode } from './patternNode.ts';
import type { Predicate } from './predicate.ts';
import { regexWord, type WordPattern, wildcardWord, wordPrefix, wordTest } from './wordSql.ts';

type StringPredicate = Extract<Predicate, { type: 'prefix' | 'wildcard' | 'textRange' }>;

/** A test on the whole text of a keyword. */
export function wholeTest(predicate: StringPredicate, text: Sql): Sql {
  switch (predicate.type) {
    case 'prefix':
      return beginsWith(text, predicate.text);
    case 'wildcard':
      return sql`${text} like ${wildcardLike(predicate.parts)}`;
    case 'textRange':
      return inRange(predicate, text);
  }
}

/** A test on the words of a text. */
export function wordsTest(predicate: StringPredicate, text: Sql, odd: Sql): Sql {
  switch (predicate.type) {
    case 'prefix':
      return wordTest(text, odd, wordPrefix(predicate.text));
    case 'wildcard':
      return wordTest(text, odd, wildcardWord(predicate.parts));
    case 'textRange': {
      const node = patternNode(predicate);
      const pattern = node && regexWord(node);
      if (pattern) return wordTest(text, odd, { ...pattern, ...sureInRange(predicate) });
      return someWord(wordsSql(text, odd), (word) => inRange(predicate, word));
    }
  }
}

/** Words that begin with the lower bound are in the range, unless the upper one does too. */
function sureInRange({ lower, upper }: Extract<Predicate, { type: 'textRange' }>): WordPattern {
  if (!lower?.isInclusive || lower.text === '' || upper?.text.startsWith(lower.text)) return {};
  const { sure } = wordPrefix(lower.text);
  return sure === undefined ? {} : { sure };
}

export function beginsWith(text: Sql, beginning: string): Sql {
  return sql`${text} like ${`${likeText(beginning)}%`}`;
}

/** True if a text contains `part`. */
export function contains(text: Sql, part: string): Sql {
  return sql`${text} like ${`%${likeText(part)}%`}`;
}

/** Characters that LIKE gives a meaning to stand for themselves. */
function likeText(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}

type Parts = Extract<Predicate, { type: 'wildcard' }>['parts'];

function wildcardLike(parts: Parts): string {
  return parts
    .map((part) => (part.type === 'text' ? likeText(part.text) : part.type === 'any' ? '%' : '_'))
    .join('');
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

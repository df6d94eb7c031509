import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { createBudget } from './budget.ts';
import { compileRegex } from './compileRegex.ts';
import { RegexSyntaxError, RegexTooComplexError } from './errors.ts';
import { toPostgres } from './toPostgres.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase('empty');
  client = new pg.Client(database.config);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const pieces = [
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '\\W',
  '(a|b)',
  '"a.b"',
  '<1-12>',
  '@',
  '#',
  'é',
  '😀',
  '\\.',
  'x{2,3}',
  'a?',
  'b*',
  '(ab)+',
  '[a-c]{2}',
  '$',
  '^',
];
const values = [
  '',
  'a',
  'b',
  'ab',
  'aab',
  'a.b',
  '7',
  '12',
  '13',
  'é',
  '😀',
  'xx',
  'abab',
  'a b',
  '$',
  '^',
  'ba',
  'A',
  'x\ny',
  'ccc',
];

it('means the same to PostgreSQL as to the matcher, for random patterns', async () => {
  const { pick, integer, chance } = createRandom('regular expressions');
  const wrong: unknown[] = [];
  let translated = 0;
  for (let n = 0; n < 1000; n++) {
    const pattern = Array.from({ length: integer(1, 4) }, () => pick(pieces)).join(chance(0.2) ? '|' : '');
    const expression = toPostgres(pattern, 'value');
    if (expression === undefined) continue;
    translated += 1;
    const { rows } = await client.query<{ value: string }>(
      'select value from unnest($1::text[]) with ordinality u(value, n) where value ~ $2 order by n',
      [values, `^(?:${expression})$`],
    );
    const { test } = compileRegex(pattern, createBudget());
    const found = rows.map((row) => row.value);
    const right = values.filter(test);
    if (JSON.stringify(found) !== JSON.stringify(right)) wrong.push({ pattern, found, right });
  }
  expect(wrong).toEqual([]);
  expect(translated).toBeGreaterThan(500);
});

/** All that is ever written: what the engine could read in another way, such as `(?i)` or `\\1`, is no part of it. */
const written = /^(?:\(\?:|\)|\||\[\^?(?:\\U[0-9a-f]{8}-\\U[0-9a-f]{8})+\]|\{\d{1,3},\d{0,3}\})*$/;
const hostile = [
  '***=a',
  '***:(?i)a',
  '(?i)a',
  '(?xi)a b',
  '(?=a)b',
  '(?!a)b',
  '(?<=a)b',
  '(?<!a)b',
  '(a)\\1',
  '\\1',
  '\\U00000061',
  '\\x61',
  '\\ya\\Y',
  '\\ma\\M',
  '\\Aa\\Z',
  '[[:alpha:]]',
  '[[.a.]]',
  '[[=a=]]',
  '[[:<:]]a',
  '[a-z&&[^b]]',
  '[]a]',
  '[^]a]',
  'a**',
  'a+?',
  'a*?b',
  'a{1,2}?',
  '(a|b|)*',
  '((a*)*)*',
  '(((a?){9}){9}){9}',
  '(x+x+)+y',
  '|||',
  '()',
  '"(?i)a"',
  '\\(\\?i\\)',
  "a'; drop table document; --",
  'a\u0000b',
  '\ud800',
  '[\ud800-\udfff]',
  `[${Array.from({ length: 1900 }, (_, n) => String.fromCodePoint(0x4e00 + 2 * n)).join('')}]`,
  `[${Array.from({ length: 3000 }, (_, n) => String.fromCodePoint(0x4e00 + 2 * n)).join('')}]`,
  `${'('.repeat(90)}a${')?'.repeat(90)}`,
  `${'a?'.repeat(500)}b`,
  'a?'.repeat(500),
  '(a{0,44}){0,44}',
];

it.each(hostile.map((pattern) => [pattern.slice(0, 40), pattern]))(
  'hands PostgreSQL nothing of %j but escaped characters and counts, and finds the same',
  async (_, pattern) => {
    const regex = attempt(() => compileRegex(pattern, createBudget()));
    if (!regex) return;
    for (const subject of ['value', 'plain word', 'odd word'] as const) {
      const expression = toPostgres(pattern, subject);
      if (expression === undefined) continue;
      expect(expression).toMatch(written);
      expect(expression.length).toBeLessThan(60_000);
    }
    const expression = toPostgres(pattern, 'value');
    if (expression === undefined) return;
    const subjects = [...values, '(?i)a', 'A', '\\1', 'aa', 'U00000061', 'aay', '一', '丁'];
    const { rows } = await client.query<{ value: string }>(
      'select value from unnest($1::text[]) with ordinality u(value, n) where value ~ $2 order by n',
      [subjects, `^(?:${expression})$`],
    );
    expect(rows.map(({ value }) => value)).toEqual(subjects.filter(regex.test));
  },
);

it('refuses a pattern that is nested without end, and does not run out of stack', () => {
  for (const [open, close] of [
    ['(', ')'],
    ['(', ')?'],
    ['~', ''],
    ['', '*'],
  ] as const) {
    const pattern = `${open.repeat(15_000)}a${close.repeat(15_000)}`;
    expect(() => compileRegex(pattern, createBudget())).toThrow(RegexTooComplexError);
  }
});

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RegexSyntaxError || error instanceof RegexTooComplexError) return undefined;
    throw error;
  }
}

it.each(['~a', 'a&b', 'a{9}{9}{9}{9}', 'a{300}', '~(a|b)c', 'a?'.repeat(65), '((a?){9}){9}', '(a*b*){33}'])(
  'leaves %s to the matcher',
  (pattern) => {
    expect(toPostgres(pattern, 'value')).toBeUndefined();
  },
);

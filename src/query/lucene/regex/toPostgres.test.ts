import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { createBudget } from './budget.ts';
import { compileRegex } from './compileRegex.ts';
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

it.each(['~a', 'a&b', 'a{9}{9}{9}{9}', 'a{300}', '~(a|b)c'])('leaves %s to the matcher', (pattern) => {
  expect(toPostgres(pattern, 'value')).toBeUndefined();
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { Store } from '../../store/db/db.ts';
import { openStore } from '../../store/db/openStore.ts';
import { patternNode } from './patternNode.ts';
import type { Predicate } from './predicate.ts';
import { createBudget } from './regex/budget.ts';
import { compileRegex } from './regex/compileRegex.ts';
import { parseRegex } from './regex/parseRegex.ts';
import { wordsTest } from './stringSql.ts';
import { anyWord, regexWord, type WordPattern, wildcardWord, wordPrefix, wordTest } from './wordSql.ts';

const random = createRandom('sure words');
const pieces = [
  'a',
  'b',
  'ka',
  'kalo',
  'Kalo',
  'la',
  'a_b',
  '_',
  ' ',
  ' ',
  ' ',
  '-',
  '.',
  '\n',
  '%',
  '\\',
  '1',
];
const texts = Array.from({ length: 3000 }, (_, n) =>
  Array.from({ length: random.integer(1, 14) }, () => random.pick(pieces)).join(n % 2 === 0 ? ' ' : ''),
);
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase('empty');
  store = openStore(database.config, () => {});
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

async function fitting(test: ReturnType<typeof sql>): Promise<string[]> {
  const rows = await store.query<{ text: string }>(
    sql`select t.text from unnest(${texts}::text[]) with ordinality t(text, n), (select null::jsonb as odd) o
      where ${test} order by n`,
  );
  return rows.map(({ text }) => text);
}

const [text, odd] = [raw('t.text'), raw('o.odd')];

const patterns: Record<string, WordPattern> = {
  'a word': anyWord(['kalo']),
  'a word with an underscore': anyWord(['a_b']),
  'one of several words': anyWord(['ka', 'a_b', 'kalo']),
  'the beginning of a word': wordPrefix('a_'),
  'the end of a word': wildcardWord([{ type: 'any' }, { type: 'text', text: '_b' }]),
  'parts of a word': wildcardWord([
    { type: 'text', text: 'k' },
    { type: 'any' },
    { type: 'text', text: 'o' },
  ]),
};

it.each(Object.entries(patterns))('finds the same with what is surely like it: %s', async (_, pattern) => {
  const { sure, ...rest } = pattern;
  const found = await fitting(wordTest(text, odd, pattern));
  expect(found.length).toBeGreaterThan(0);
  expect(found).toEqual(await fitting(wordTest(text, odd, rest)));
  // Otherwise it is of no use.
  if (sure !== undefined) expect((await fitting(sql`${text} like ${sure}`)).length).toBeGreaterThan(0);
});

it('finds the same in ranges of words with what surely is in them', async () => {
  const bounds = ['a', 'a_', 'a_b', 'b', 'k', 'ka', 'kal', 'kalo', 'la', '1', undefined];
  let compared = 0;
  for (const from of bounds)
    for (const to of bounds) {
      if (from !== undefined && to !== undefined && from > to) continue;
      const [isLowerIn, isUpperIn] = [random.chance(0.7), random.chance(0.7)];
      const range: Extract<Predicate, { type: 'textRange' }> = {
        type: 'textRange',
        field: { name: 'message', path: ['message'], type: 'text', isFolded: false, isDynamic: false },
        ...(from === undefined ? {} : { lower: { text: from, isInclusive: isLowerIn } }),
        ...(to === undefined ? {} : { upper: { text: to, isInclusive: isUpperIn } }),
      };
      const pattern = regexWord(patternNode(range)!);
      if (!pattern) continue;
      compared += 1;
      const place = JSON.stringify([from, isLowerIn, to, isUpperIn]);
      expect(await fitting(wordsTest(range, text, odd)), place).toEqual(
        await fitting(wordTest(text, odd, pattern)),
      );
    }
  expect(compared).toBeGreaterThan(40);
});

it('fits whole words by patterns that nothing at all would fit too, and never the gap between two words', async () => {
  const { pick, integer } = createRandom('patterns that fit nothing');
  const optional = [
    'a?',
    'k*',
    '(la)?',
    '(a|b)*',
    '(ka?)*',
    '(|a)',
    '()',
    '.*',
    '(k?a?){2}',
    '_{0,2}',
    '(a*l*)*',
  ];
  for (let n = 0; n < 150; n++) {
    const pattern = Array.from({ length: integer(1, 4) }, () => pick(optional)).join('');
    const { test } = compileRegex(pattern, createBudget());
    const words = regexWord(parseRegex(pattern))!;
    expect(`${words.plain}${words.odd}`).not.toContain('(?=');
    const right = texts.filter((each) =>
      each
        .toLowerCase()
        .match(/[a-z0-9_]+/g)
        ?.some(test),
    );
    expect(await fitting(wordTest(text, odd, words)), pattern).toEqual(right);
  }
});

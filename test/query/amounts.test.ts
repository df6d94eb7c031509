import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import { createMapping } from '../../src/query/lucene/mapping.ts';
import { parseQuery } from '../../src/query/lucene/parseQuery.ts';
import { resolve } from '../../src/query/lucene/resolve.ts';
import { simplify } from '../../src/query/lucene/simplify.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { sized } from '../../testing/proveSize.ts';
import { documentSource, findBySql } from './sqlDocuments.ts';
import { useDocumentTable } from './useDocumentTable.ts';

/*
 * What a query for numbers finds in a member of `meta`, worked out by other code than ours: as fractions of whole numbers of any
 * size, straight from the rules in docs/how-to/alerts-and-queries.md.
 */

const uint256 = String(2n ** 256n - 1n);
const nines = '9'.repeat(78);
const magnitudes = [
  '0',
  '1',
  '5',
  '0.1',
  '0.10000000000000000001',
  '0.0000000000000000000000000000000000000000000000000000000000000000000001',
  '46.461',
  '8092.58',
  '250000',
  '300000',
  '300000.000000000000000000000000000001',
  '500000',
  '1000000',
  '9007199254740992',
  '9007199254740993',
  '1000000000000000000000',
  '1000000000000000000001',
  '1208925819614629174706176',
  uint256,
  `${uint256.slice(0, -1)}4`,
  nines,
];
const spellings = [
  ...magnitudes,
  ...magnitudes.map((text) => `-${text}`),
  '500000.0',
  '+500000',
  '00500000',
  '0.0',
  '-0',
  '1000000.50',
];
/** Texts that look like numbers and are none. */
const others = [
  '',
  ' 5',
  '5 ',
  '5.',
  '.5',
  '1e6',
  '0x10',
  '1,000,000',
  '500000 DUSD',
  '--5',
  '٥',
  '5\n',
  'NaN',
  'Infinity',
  `${nines}9`,
  `0.${'1'.repeat(79)}`,
  'five',
  '2026-01-15',
];
const doubles = [
  0,
  1,
  5,
  -5,
  0.1,
  46.461,
  250_000,
  300_000,
  500_000,
  1e6,
  2 ** 53,
  1e21,
  -1e21,
  5e-324,
  1e300,
];
const scalars: Scalar[] = [...spellings, ...others, ...doubles, true, false];

type Scalar = string | number | boolean;
type Fraction = { numerator: bigint; denominator: bigint };

const random = createRandom('amounts');
/** Each value alone, and members with several of any type. */
const members: unknown[] = [
  ...scalars,
  null,
  [],
  {},
  ...Array.from({ length: sized(50, 600) }, () => {
    const several = Array.from({ length: random.integer(1, 3) }, () => random.pick(scalars));
    return random.pick([several, [several], [[several], random.pick(scalars)], [null, ...several]]);
  }),
];
const documents = members.map((value, n) => ({
  id: `d${String(n).padStart(4, '0')}`,
  document: { message: scalarsOf(value).join(' '), meta: { m: value, o: { m: value } } },
}));
const subjects = documents.map(({ id, document }) => ({ id, subject: createSubject(document) }));
const byId = new Map(documents.map(({ id, document }) => [id, document]));
const mapping = createMapping({ message: 'text', meta: 'dynamic' });

function scalarsOf(value: unknown): Scalar[] {
  if (Array.isArray(value)) return value.flatMap(scalarsOf);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [value] : [];
}

/** Of a text that is a plain decimal number, or of a number as JSON writes it. */
function fractionOf(value: Scalar): Fraction | undefined {
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'string' && !/^[+-]?[0-9]+(\.[0-9]+)?$/.test(value)) return undefined;
  const [mantissa = '', exponent = '0'] = String(value).toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('+', '').split('.');
  if (typeof value === 'string' && (whole.replace('-', '').length > 78 || fraction.length > 78))
    return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  const places = fraction.length - Number(exponent);
  return places >= 0
    ? { numerator: digits, denominator: 10n ** BigInt(places) }
    : { numerator: digits * 10n ** BigInt(-places), denominator: 1n };
}

function compare(a: Fraction, b: Fraction): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** A part of them, another one each time, and those that doubles do not tell apart. */
function someSpellings(): string[] {
  const picked = Array.from({ length: sized(12, 60) }, () => random.pick(spellings));
  return [...new Set([...picked, '300000', '0.1', '1000000000000000000000', '-1000000000000000000001'])];
}

type Test = (order: number) => boolean;
const operators: [string, Test][] = [
  ['>', (order) => order > 0],
  ['>=', (order) => order >= 0],
  ['<', (order) => order < 0],
  ['<=', (order) => order <= 0],
];

/** The documents with a value that is a number which passes. */
function withNumber(passes: (value: Fraction) => boolean): string[] {
  return documents
    .filter((_, n) =>
      scalarsOf(members[n]).some((value) => {
        const fraction = fractionOf(value);
        return fraction !== undefined && passes(fraction);
      }),
    )
    .map(({ id }) => id);
}

const client = useDocumentTable(documents);

/** By the matcher, also after the query is simplified, and by PostgreSQL with and without the terms of decimal texts. */
async function expectFound(query: string, right: readonly string[]): Promise<void> {
  const resolved = resolve(parseQuery(query), mapping, 0);
  const simplified = simplify(resolved);
  for (const predicate of [resolved, simplified]) {
    const matches = createMatcher(predicate);
    const matched = subjects.filter(({ subject }) => matches(subject)).map(({ id }) => id);
    expect(matched, `SEED=${random.seed} ${query} by the matcher`).toEqual(right);
  }
  for (const hasDecimalTerms of [true, false]) {
    const found = await findBySql(client(), simplified, byId, { ...documentSource, hasDecimalTerms });
    expect(found, `SEED=${random.seed} ${query} by PostgreSQL, ${String(hasDecimalTerms)}`).toEqual(right);
  }
}

const without = (ids: readonly string[]) => documents.map(({ id }) => id).filter((id) => !ids.includes(id));

describe('a member of meta', () => {
  it.each(operators)(
    'is compared exactly by %s, whether it is a number or a text that is one',
    async (sign, passes) => {
      for (const text of someSpellings()) {
        const end = fractionOf(text)!;
        const right = withNumber((value) => passes(compare(value, end)));
        await expectFound(`meta.m:${sign}${text}`, right);
        if (text.length < 8) {
          await expectFound(`meta.o.m:${sign}${text}`, right);
          await expectFound(`meta.\\*:${sign}${text}`, right);
          await expectFound(`NOT meta.m:${sign}${text}`, without(right));
        }
      }
    },
  );

  it('lies between two numbers exactly, each included or not', async () => {
    for (let n = 0; n < sized(30, 600); n++) {
      const [lower, upper] = [random.pick(spellings), random.pick(spellings)];
      const [isLower, isUpper] = [random.chance(0.5), random.chance(0.5)];
      const right = withNumber((value) => {
        const [low, high] = [compare(value, fractionOf(lower)!), compare(value, fractionOf(upper)!)];
        return (low > 0 || (isLower && low === 0)) && (high < 0 || (isUpper && high === 0));
      });
      await expectFound(`meta.m:${isLower ? '[' : '{'}${lower} TO ${upper}${isUpper ? ']' : '}'}`, right);
    }
  });

  it('equals a number in every spelling of it, and other texts that have it as a word', async () => {
    for (const text of someSpellings()) {
      const number = fractionOf(text)!;
      const word = text.replace(/^[+-]/, '');
      const right = documents
        .filter((_, n) =>
          scalarsOf(members[n]).some((value) => {
            const fraction = fractionOf(value);
            if (fraction !== undefined) return compare(fraction, number) === 0;
            return typeof value === 'string' && wordsOf(value).includes(word);
          }),
        )
        .map(({ id }) => id);
      await expectFound(`meta.m:"${text}"`, right);
      await expectFound(`meta.\\*:"${text}"`, right);
    }
  });

  it('is compared letter by letter where an end is no number or the name ends in .keyword', async () => {
    const texts = (passes: (text: string) => boolean) =>
      documents
        .filter((_, n) => scalarsOf(members[n]).some((value) => typeof value === 'string' && passes(value)))
        .map(({ id }) => id);
    const isAbove = (text: string, end: string) => Buffer.compare(Buffer.from(text), Buffer.from(end)) > 0;
    await expectFound(
      'meta.m.keyword:>300000',
      texts((text) => isAbove(text, '300000')),
    );
    await expectFound(
      'meta.m.keyword:500000',
      texts((text) => text === '500000'),
    );
    await expectFound(
      'meta.m:[5 TO five]',
      texts((text) => wordsOf(text).some((word) => !isAbove('5', word) && !isAbove(word, 'five'))),
    );
  });

  it('is a number for an end of any length, and an exponent of any size', async () => {
    const long = `300000.${'0'.repeat(500)}1`;
    await expectFound(
      `meta.m:>${long}`,
      withNumber((value) => compare(value, fractionOf('300000')!) > 0),
    );
    await expectFound(`meta.m:"${long}"`, []);
    await expectFound(
      'meta.m:>1e-999999',
      withNumber(({ numerator }) => numerator > 0n),
    );
    await expectFound(
      'meta.m:<-1e-999999',
      withNumber(({ numerator }) => numerator < 0n),
    );
    await expectFound(
      'meta.m:>=3e5',
      withNumber((value) => compare(value, fractionOf('300000')!) >= 0),
    );
  });
});

/** Words as far as the texts of this test need them. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[0-9a-z٥]+(?:[.,][0-9]+)*/g) ?? [];
}

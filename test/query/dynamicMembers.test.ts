import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import { createMapping } from '../../src/query/lucene/mapping.ts';
import { parseQuery } from '../../src/query/lucene/parseQuery.ts';
import { resolve } from '../../src/query/lucene/resolve.ts';
import { findBySql } from './sqlDocuments.ts';
import { useDocumentTable } from './useDocumentTable.ts';

/*
 * What a query on a dynamic member finds, worked out by other code than ours: straight from the rules, with values that
 * need no analyzer (words of letters and digits, separated by spaces). A member is of the type of its value; an array is
 * several values; null and missing are none.
 */

const missing = Symbol('missing');
const values: unknown[] = [
  missing,
  null,
  [],
  {},
  1,
  5,
  100,
  500,
  -3,
  0,
  99.5,
  100.5,
  1e21,
  '1',
  '100',
  '500',
  '99',
  'usdc',
  'USDC',
  'weth pool',
  '',
  '2026',
  '2026 01 15',
  'true',
  'false',
  true,
  false,
  [1, 5],
  [5, 500],
  ['usdc', 'weth'],
  [true, false],
  [1, 'usdc', true],
  [null, 7],
  [null, 'dai'],
  [[100], ['zzz']],
  { deep: 500 },
  '0x6b4f00',
  '0X6B4F01 paid',
  ['0x6b4', '0x6b5ff'],
  'paid to 0x6b4f02',
];
const documents = values.map((value, n) => ({
  id: `d${String(n).padStart(2, '0')}`,
  document: { meta: value === missing ? {} : { m: value, o: { m: value } } },
}));
const byId = new Map(documents.map(({ id, document }) => [id, document]));
const mapping = createMapping({ severity: 'keyword', numericSeverity: 'long', meta: 'dynamic' });

type Scalar = string | number | boolean;
type Test = (value: Scalar) => boolean;

function scalars(value: unknown): Scalar[] {
  if (Array.isArray(value)) return value.flatMap(scalars);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [value] : [];
}

const wordsOf = (text: string) => text.toLowerCase().split(' ').filter(Boolean);
const isNumber = (text: string) => /^-?\d+(\.\d+)?$/.test(text);
/** A text that is a number is one; all of these are doubles. */
const isNumeric = (value: Scalar) =>
  typeof value === 'number' || (typeof value === 'string' && isNumber(value));

type End = { text: string; isIncluded: boolean } | undefined;

/** A number is compared with ends that are numbers, a word with others, a boolean only where the ends are booleans. */
function inRange(lower: End, upper: End): Test {
  const ends = [lower, upper].filter((end) => end !== undefined);
  const within = <T>(value: T, read: (text: string) => T): boolean => {
    const isAbove = !lower || value > read(lower.text) || (lower.isIncluded && value === read(lower.text));
    const isBelow = !upper || value < read(upper.text) || (upper.isIncluded && value === read(upper.text));
    return isAbove && isBelow;
  };
  return (value) => {
    const isOfNumbers = ends.every(({ text }) => isNumber(text));
    if (isOfNumbers) return isNumeric(value) && within(Number(value), Number);
    if (typeof value === 'number') return false;
    if (typeof value === 'string')
      return wordsOf(value).some((word) => within(word, (text) => text.toLowerCase()));
    return ends.every(({ text }) => text === 'true' || text === 'false') && within(String(value), String);
  };
}

function equalTo(text: string): Test {
  return (value) => {
    if (isNumeric(value) && isNumber(text)) return Number(value) === Number(text);
    if (typeof value === 'number') return false;
    return typeof value === 'string' ? wordsOf(value).includes(text.toLowerCase()) : String(value) === text;
  };
}

const ofWords =
  (passes: (word: string) => boolean): Test =>
  (value) =>
    typeof value === 'string' && wordsOf(value).some(passes);

const bounds = ['100', '5', '-3', '99.5', '0', 'usdc', 'a', 'Z', 'true', 'false', '2026'];
const ended: [string, Test][] = bounds.flatMap((text): [string, Test][] => [
  [`>${text}`, inRange({ text, isIncluded: false }, undefined)],
  [`>=${text}`, inRange({ text, isIncluded: true }, undefined)],
  [`<${text}`, inRange(undefined, { text, isIncluded: false })],
  [`<=${text}`, inRange(undefined, { text, isIncluded: true })],
  [`[${text} TO *]`, inRange({ text, isIncluded: true }, undefined)],
  [`{${text} TO *}`, inRange({ text, isIncluded: false }, undefined)],
  [`[* TO ${text}]`, inRange(undefined, { text, isIncluded: true })],
  [`{* TO ${text}}`, inRange(undefined, { text, isIncluded: false })],
  ...(text.startsWith('-') ? [] : ([[text, equalTo(text)]] as [string, Test][])),
]);
const closed: [string, Test][] = [
  ['1', '100'],
  ['-3', '99.5'],
  ['a', 'v'],
  ['100', 'z'],
  ['false', 'true'],
  ['true', 'true'],
  ['500', '1'],
  ['100', '100'],
].flatMap(([from = '', to = '']): [string, Test][] =>
  [true, false].flatMap((isLower) =>
    [true, false].map((isUpper): [string, Test] => [
      `${isLower ? '[' : '{'}${from} TO ${to}${isUpper ? ']' : '}'}`,
      inRange({ text: from, isIncluded: isLower }, { text: to, isIncluded: isUpper }),
    ]),
  ),
);
const patterns: [string, Test][] = [
  ['usd*', ofWords((word) => word.startsWith('usd'))],
  ['*sdc', ofWords((word) => word.endsWith('sdc'))],
  ['*e*', ofWords((word) => word.includes('e'))],
  ['?00', ofWords((word) => /^.00$/.test(word))],
  ['*0*', ofWords((word) => word.includes('0'))],
  ['/[0-9]+/', ofWords((word) => /^[0-9]+$/.test(word))],
  ['0x6b4*', ofWords((word) => word.startsWith('0x6b4'))],
  ['0X6B4?0*', ofWords((word) => /^0x6b4.0/.test(word))],
  ['0x6*', ofWords((word) => word.startsWith('0x6'))],
  ['/tr.*/', ofWords((word) => word.startsWith('tr'))],
];
const everything: [string, Test][] = [
  ['[* TO *]', (value) => typeof value !== 'string' || wordsOf(value).length > 0],
  ['*', () => true],
];

const client = useDocumentTable(documents);

describe('a dynamic member', () => {
  it.each([...ended, ...closed, ...patterns, ...everything])(
    'a dynamic member compared with %s finds what the rules say, by matcher and by PostgreSQL',
    async (text, test) => {
      for (const field of ['meta.m', 'meta.o.m']) {
        const isAsked = (value: unknown) => {
          // `*` asks whether a member exists, and an object does if anything in it does.
          const found =
            text === '*' && isObject(value) ? Object.values(value).flatMap(scalars) : scalars(value);
          return found.some(test);
        };
        const holds = values.map((value) => value !== missing && isAsked(value));
        const idsWhere = (want: boolean) => documents.filter((_, n) => holds[n] === want).map(({ id }) => id);
        expect(await find(`${field}:${text}`)).toEqual([idsWhere(true), idsWhere(true)]);
        expect(await find(`NOT ${field}:${text}`)).toEqual([idsWhere(false), idsWhere(false)]);
      }
    },
  );
});

async function find(query: string): Promise<[string[], string[]]> {
  const predicate = resolve(parseQuery(query), mapping, 0);
  const matches = createMatcher(predicate);
  const matched = documents.filter(({ document }) => matches(createSubject(document))).map(({ id }) => id);
  return [matched, await findBySql(client(), predicate, byId)];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

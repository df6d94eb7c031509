import { describe, expect, it } from 'vitest';
import { fastestMs } from '../../../../test/query/fastestMs.ts';
import { readVectors } from '../../../../test/query/vectorDocuments.ts';
import { processorMs } from '../../../../test/support/processorMs.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createBudget } from './budget.ts';
import { compileRegex, type Regex } from './compileRegex.ts';
import { RegexSyntaxError, RegexTooComplexError } from './errors.ts';

type Vector = { pattern: string; matches?: string[]; error?: string };
const lines: (Vector | { subjects: string[] })[] = JSON.parse(readVectors('regex-vectors.json'));
const vectors = lines.filter((line) => 'pattern' in line);
const subjects = lines.flatMap((line) => ('subjects' in line ? line.subjects : []));

function compile(pattern: string): Regex {
  return compileRegex(pattern, createBudget());
}

describe('compileRegex', () => {
  it('has all its vectors', () => {
    expect([vectors.length, subjects.length]).toEqual([56, 36]);
  });

  it.each(vectors)('$pattern', ({ pattern, matches, error }) => {
    if (error !== undefined) expect(() => compile(pattern)).toThrow(RegexSyntaxError);
    else expect(subjects.filter(compile(pattern).test)).toEqual(matches);
  });

  it.each([
    ['', [''], ['a']],
    ['[]a]', [']', 'a'], ['[']],
    ['[^\\d-z]', ['a', 'y'], ['5', '-']],
    ['[\\w.]+', ['a.b_1'], ['a-b']],
    ['\\\\', ['\\'], ['\\\\']],
    ['(|a)', ['|a'], ['', 'a']],
    ['a&&b', [], ['a', 'b', '&b']],
    ['.', ['😀', 'é', '\n'], ['', 'ab']],
    ['[😀-😂]', ['😁'], ['😃', '\ud83d']],
    ['~(ab*)c', ['c', 'xc', 'bc', 'abcc'], ['ac', 'abc']],
    ['~(~a)', ['a'], ['', 'b', 'aa']],
    ['x(.*a.*&...)y', ['xabcy', 'xzzay'], ['xzzzy', 'xaay']],
    ['#|a', ['a'], ['', '#']],
    ['"a*"b', ['a*b'], ['aab']],
    ['<9-12>', ['9', '10', '12', '009', '0012'], ['8', '13', '120']],
    ['<0-0>', ['0'], ['00', '1']],
    ['<10-0>', ['0', '7', '10', '007'], ['11']],
    ['<095-105>', ['095', '100', '105'], ['95', '106']],
    ['(a|b|ab){2,3}', ['aa', 'abab', 'bbb'], ['a', 'ababababab']],
    ['(){3}', [''], ['a']],
  ] satisfies [string, string[], string[]][])('reads %s', (pattern, matching, other) => {
    const regex = compile(pattern);
    expect(matching.filter((value) => !regex.test(value))).toEqual([]);
    expect(other.filter(regex.test)).toEqual([]);
  });

  it.each([
    '<a-b>',
    '<1>',
    '<1-2-3>',
    '<-1>',
    'a{2',
    'a{99999999999}',
    '"a',
    '[z-a]',
    '<99999999999-1>',
    '\\u0041',
  ])('refuses %s', (pattern) => {
    expect(() => compile(pattern)).toThrow(RegexSyntaxError);
  });
});

/** Patterns that make a backtracking matcher, or the making of an automaton, explode. */
const explosive = [
  '(a*)*b',
  '(a+)+',
  '(a|a)*b',
  '(a|aa)+b',
  '([a-z]+)*[0-9]',
  '(.*a){12}',
  '[ac]*a[ac]{50,200}',
  '.*a.{500}',
  '.*a.{4000}',
  '(.*){500}x',
  '((a{0,30}){0,30}){0,30}',
  '(a{1000}){1000}',
  '(((a{100}){100}){100}){100}',
  '(){2147483647}',
  '#{2147483647}',
  '~(.*a.{9})',
  '~(.*a.{30})',
  '~(~(~(.*a.{12}))b)',
  '(.*a.{20})&(.*b.{20})',
  '(~(a.*b)){20}',
  `${'~'.repeat(999)}a`,
  `${'('.repeat(330)}a${')*'.repeat(330)}`,
  `(${'a|'.repeat(499)}a)*`,
  '(a?){300}a{300}',
  '<0-2147483647>*<1-2147483646>',
  `[${Array.from({ length: 400 }, (_, i) => String.fromCharCode(0x4e00 + 2 * i)).join('')}]*~([x]*)`,
  `~(${Array.from({ length: 300 }, (_, i) => String.fromCharCode(0x4e00 + 2 * i)).join('|')})&.{300}`,
];

describe('a regular expression', () => {
  it.each(explosive.map((pattern) => [pattern.slice(0, 40), pattern]))(
    'answers or is refused within 50 ms: %s',
    (_, pattern) => {
      for (const value of [
        'a'.repeat(1_000),
        'ac'.repeat(500),
        `${'a'.repeat(999)}!`,
        'ab1'.repeat(333),
        '',
      ]) {
        expect(fastestMs(50, () => timeToAnswer(pattern, value))).toBeLessThan(50);
      }
    },
  );

  it('gives the same answers when its states are forgotten on the way', () => {
    const { random } = createRandom('forgetting');
    const regex = compile('.*a.{40}');
    for (let round = 0; round < 300; round++) {
      const value = Array.from({ length: 45 + round }, () => (random() < 0.5 ? 'a' : 'b')).join('');
      expect(regex.test(value), value).toBe(value.at(-41) === 'a');
    }
  });

  it('agrees with the regular expressions of JavaScript where both mean the same', () => {
    const { random, pick } = createRandom('regex against JavaScript');
    const build = (depth: number): string => {
      if (depth === 0) return pick(['a', 'b', '.', '[ab]', '[^a]', '()', '\\d', 'é']);
      const inner = (): string => build(depth - 1);
      return pick([
        () => inner() + inner(),
        () => `(${inner()}|${inner()})`,
        () => `(${inner()})*`,
        () => `(${inner()})?`,
        () => `(${inner()})+`,
        () => `(${inner()}){${pick(['0', '2', '1,', '0,2', '2,3'])}}`,
      ])();
    };
    for (let round = 0; round < 1_000; round++) {
      const pattern = build(1 + Math.floor(random() * 3));
      const other = build(1 + Math.floor(random() * 2));
      const native = new RegExp(`^(?:${pattern})$`, 'su');
      const nativeOther = new RegExp(`^(?:${other})$`, 'su');
      const [plain, inverted, both] = [pattern, `~(${pattern})`, `(${pattern})&(${other})`].map(compile);
      for (let i = 0; i < 10; i++) {
        const value = Array.from({ length: Math.floor(random() * 7) }, () =>
          pick(['a', 'b', 'é', '7', '😀']),
        ).join('');
        const isMatch = native.test(value);
        const message = `/${pattern}/ and /${other}/ on '${value}'`;
        expect(plain!.test(value), message).toBe(isMatch);
        expect(inverted!.test(value), message).toBe(!isMatch);
        expect(both!.test(value), message).toBe(isMatch && nativeOther.test(value));
      }
    }
  });

  it('shares its budget with the others of a query', () => {
    const budget = createBudget();
    compileRegex('a{900}', budget);
    expect(() => {
      for (let i = 0; i < 20; i++) compileRegex(`b{90${i % 10}}`, budget);
    }).toThrow(RegexTooComplexError);
  });
});

function timeToAnswer(pattern: string, value: string): number {
  return processorMs(() => {
    try {
      expect(typeof compile(pattern).test(value)).toBe('boolean');
    } catch (error) {
      expect(error).toBeInstanceOf(RegexTooComplexError);
    }
  });
}

import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/processorMs.ts';
import { Problem } from '../../model/errors.ts';
import { parse } from './parse.ts';

const a = { type: 'predicate', path: [{ name: 'a', position: 1 }], test: { type: 'null' } };

describe('parse', () => {
  it.each(['', ' ', '\t\r\n\u00a0\u3000\u2028\u0085'])('reads blank text %j as no clause', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it('binds NOT tighter than AND, and AND tighter than OR', () => {
    expect(outline('not a is null and b is null or c is null and d is null')).toBe(
      '(((not a) and b) or (c and d))',
    );
    expect(outline('a is null or b is null and not (c is null or d is null)')).toBe(
      '(a or (b and (not (c or d))))',
    );
  });

  it.each([
    ['a <> 1', 'a = 1'],
    ['a != 1', 'a = 1'],
    ['a not in (1)', 'a in (1)'],
    ["a not like 'x'", "a like 'x'"],
    ["a not ilike 'x'", "a ilike 'x'"],
    ['a not between 1 and 2', 'a between 1 and 2'],
    ['a is not null', 'a is null'],
    ['a not contains 1', 'a contains 1'],
  ])('reads %s as the negation of %s', (negative, positive) => {
    expect(withoutPositions(parse(negative))).toEqual({
      type: 'not',
      part: withoutPositions(parse(positive)),
    });
  });

  it('takes the AND of BETWEEN as part of it', () => {
    expect(outline('a between 1 and 2 and b is null')).toBe('(a and b)');
  });

  it.each([
    'a IS NULL',
    'a is null',
    'a\nIs\tNuLl',
    '"a" is null',
    '`a` is null',
    '(a is null)',
    '((a is null))',
  ])('reads %j alike', (text) => {
    expect(withoutPositions(parse(text))).toEqual(withoutPositions(a));
  });

  it.each([
    [`"a""b" is null`, ['a"b']],
    ['`a``b` is null', ['a`b']],
    ['"a.b".c is null', ['a.b', 'c']],
    ['config.in.is.null is null', ['config', 'in', 'is', 'null']],
    ['"" is null', ['']],
    ['"and"."or" is null', ['and', 'or']],
    ['_a1 . b is null', ['_a1', 'b']],
  ])('reads the names of %s', (text, names) => {
    expect(parse(text)).toMatchObject({ path: names.map((name) => ({ name })) });
  });

  it.each([
    ["'x'", { type: 'string', text: 'x' }],
    ["''", { type: 'string', text: '' }],
    ["'O''Brien'", { type: 'string', text: "O'Brien" }],
    ["''''", { type: 'string', text: "'" }],
    [`"a""b"`, { type: 'string', text: 'a"b' }],
    ["'a\\'", { type: 'string', text: 'a\\' }],
    ["'-- ; /* 😀'", { type: 'string', text: '-- ; /* 😀' }],
    ['1', { type: 'number', text: '1' }],
    ['-1.50e+10', { type: 'number', text: '-1.50e+10' }],
    ['+007', { type: 'number', text: '+007' }],
    ['123456789012345678901234567890.1', { type: 'number', text: '123456789012345678901234567890.1' }],
    ['true', { type: 'boolean', truth: true }],
    ['False', { type: 'boolean', truth: false }],
    ['nUll', { type: 'null' }],
  ])('reads the literal %s', (text, value) => {
    expect(parse(`a = ${text}`)).toEqual({
      ...a,
      test: { type: 'compare', operator: '=', value: { ...value, position: 5 } },
    });
  });

  it.each([
    ['a', 2, 'the text ends'],
    ['a =', 4, 'the text ends'],
    ['a == 1', 4, "found '='"],
    ['a = b', 5, "found 'b'"],
    ['a = (select 1)', 5, "found '('"],
    ['1 = 1', 1, "found '1'"],
    ["'a' = 1", 1, "found ''a''"],
    ['a = 1 b', 7, "found 'b'"],
    ['a = 1; drop table x', 6, "unexpected ';'"],
    ['a = 1 -- c', 7, "unexpected '-'"],
    ['a = 1 /* c */', 7, "unexpected '/'"],
    ['a = 1)', 6, "found ')'"],
    ['(a = 1', 7, "the '(' at column 1"],
    ['a = 1 or', 9, 'the text ends'],
    ['or a = 1', 1, "'or' is a keyword"],
    ["a = 'x", 5, "'x' has no closing quote"],
    ["a = 'x''", 5, 'has no closing quote'],
    ['"a = 1', 1, 'has no closing quote'],
    ['a<>1and b<>2', 5, "'1a' is not a number"],
    ['a = 1e', 6, 'is not a number'],
    ['a = 0x10', 6, "'0x' is not a number"],
    ['a = .5', 5, "found '.'"],
    ['a = 1.', 6, "found '.'"],
    ['a = 1.5.2', 8, "found '.'"],
    ['a = - 1', 5, "unexpected '-'"],
    ['a in ()', 7, "found ')'"],
    ['a in (1,)', 9, "found ')'"],
    ['a in 1', 6, "found '1'"],
    ['a in (1', 8, 'the text ends'],
    ['a like 5', 8, "found '5'"],
    ['a like null', 8, "found 'null'"],
    ["a like 'x' escape ''", 12, 'exactly one character'],
    ["a like 'x' escape 'ab'", 12, 'exactly one character'],
    ['a between 1', 12, 'the text ends'],
    ['a between 1 or 2', 13, "found 'or'"],
    ['a is 1', 6, "found '1'"],
    ['a is not 1', 10, "found '1'"],
    ['a not = 1', 7, "found '='"],
    ['a. = 1', 4, "found '='"],
    ['a.5 = 1', 3, "found '5'"],
    ['a = naïve', 5, "found 'na'"],
    ['é = 1', 1, "unexpected 'é'"],
    ['a = 1 and 😀 = 1', 11, "unexpected '😀'"],
    ["a = 'x\0'", 7, 'U+0000'],
    ["a = 'x\ud800'", 7, 'U+D800'],
    ["a = '\udc00\ud800'", 6, 'U+DC00'],
    ['"\ud800" = 1', 2, 'U+D800'],
  ])('refuses %j at column %i and shows why: %s', (text, position, message) => {
    const problem = refusal(text);
    expect(problem.message).toContain(message);
    expect(problem.message).toContain(`column ${position}:`);
    expect(problem).toMatchObject({ code: 'invalid-where', status: 400, members: { position } });
  });

  it('shows only the beginning of a long text', () => {
    const { message } = refusal(`a = '${'😀'.repeat(3000)}`);
    expect(message).toContain(`'${'😀'.repeat(39)}…`);
    expect(message.length).toBeLessThan(250);
  });

  it.each([
    ['8,192 characters', `a = '${'x'.repeat(8186)}'`, `a = '${'x'.repeat(8187)}'`],
    [
      '32 levels of parentheses',
      `${'('.repeat(32)}a = 1${')'.repeat(32)}`,
      `${'('.repeat(33)}a = 1${')'.repeat(33)}`,
    ],
    ['32 levels of NOT', `${'not '.repeat(32)}a = 1`, `${'not '.repeat(33)}a = 1`],
    ['256 predicates', any('a = 1', 256, ' or '), any('a = 1', 257, ' or ')],
    ['1,000 items of IN', `a in (${any('1', 1000, ',')})`, `a in (${any('1', 1001, ',')})`],
    ['8 names in a path', `${any('a', 8, '.')} = 1`, `${any('a', 9, '.')} = 1`],
  ])('allows %s and no more', (_, allowed, tooMuch) => {
    expect(parse(allowed)).toBeDefined();
    expect(refusal(tooMuch).code).toBe('invalid-where');
  });

  it('takes time in proportion to the text', () => {
    const hostile = [
      "'".repeat(8191),
      '('.repeat(8192),
      `a = ${'9'.repeat(8000)}e`,
      `a = ${' '.repeat(8000)}`,
      '`'.repeat(8191),
    ];
    const ms = processorMs(() => {
      for (const text of hostile) refusal(text);
    });
    expect(ms).toBeLessThan(500);
  });
});

function any(part: string, count: number, separator: string): string {
  return Array.from({ length: count }, () => part).join(separator);
}

function refusal(text: string): Problem {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

/** The structure alone: every predicate is shown as its field. */
function outline(text: string): string {
  const draw = (part: ReturnType<typeof parse>): string => {
    if (part === undefined) return '';
    if (part.type === 'predicate') return part.path.map(({ name }) => name).join('.');
    if (part.type === 'not') return `(not ${draw(part.part)})`;
    return `(${part.parts.map(draw).join(` ${part.type} `)})`;
  };
  return draw(parse(text));
}

function withoutPositions(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value: unknown) => (key === 'position' ? undefined : value)));
}

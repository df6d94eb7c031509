import { describe, expect, it } from 'vitest';
import { Problem } from '../../model/errors.ts';
import { parseQuery } from './parseQuery.ts';
import type { Node } from './tree.ts';

/** The only clause of a query. */
function parseOne(query: string): Node {
  const { clauses } = parseQuery(query);
  expect(clauses).toHaveLength(1);
  return clauses[0]!.node;
}

/** The text or the type of every clause. */
function shape(query: string): string[] {
  return parseQuery(query).clauses.map(({ node }) => (node.type === 'text' ? node.text : node.type));
}

function bounds(query: string): unknown[] {
  const node = parseOne(query);
  if (node.type !== 'range') throw new Error(`${query} is no range`);
  return [node.lower.text, node.upper.text, node.lower.isInclusive, node.upper.isInclusive];
}

function faultOf(query: string): { message: string; position: number | undefined } {
  try {
    parseQuery(query);
  } catch (error) {
    if (error instanceof Problem) return { message: error.message, position: error.members.position };
    throw error;
  }
  throw new Error(`${query} was read`);
}

describe('parseQuery', () => {
  it.each([
    ['quick AND', 10, 'Cannot read the query at column 10: it ends too early.'],
    ['a:b:c', 4, "Cannot read the query at column 4: unexpected ':'."],
    ['foo ]', 5, "Cannot read the query at column 5: unexpected ']' without its opening bracket."],
    [
      'tags:a/b',
      7,
      "Cannot read the query at column 7: a regular expression is not closed by another '/'; quote or escape a plain slash.",
    ],
    ['say "hi', 5, "Cannot read the query at column 5: a quote is not closed by another '\"'."],
    ['quick\\', 6, 'Cannot read the query at column 6: a backslash needs a character after it.'],
    ['a^ 2', 3, "Cannot read the query at column 3: a number must follow '^' directly."],
    [
      'a \\u00zz',
      3,
      "Cannot read the query at column 3: '\\u00zz' is no Unicode escape, which has four hex digits.",
    ],
    ['[a\\ TO b]', 3, 'Cannot read the query at column 3: a backslash needs a character after it.'],
    ['ab~xy', 3, "Cannot read the query at column 3: '~xy' needs a number after the tilde."],
    ['[a b]', 4, "Cannot read the query at column 4: unexpected 'b'."],
    ['\u3000', 2, 'Cannot read the query at column 2: it ends too early.'],
  ])('says where and why %s cannot be read', (query, position, message) => {
    expect(faultOf(query)).toEqual({ message, position });
  });

  it('counts the clauses in groups, and not the groups', () => {
    const values = (count: number) => Array.from({ length: count }, (_, n) => `z${n}`).join(' OR ');
    expect(parseQuery(`eid:(${values(1_024)})`).clauses).toHaveLength(1);
    expect(parseQuery(`(((${values(1_024)})))`).clauses).toHaveLength(1);
    expect(faultOf(`eid:(${values(1_025)})`).message).toContain('more than 1024 clauses');
  });

  it('reports the first fault of several', () => {
    expect(faultOf('a AND OR b "c').position).toBe(7);
  });

  it('cuts what it quotes', () => {
    expect(faultOf(`(a TO ${'x'.repeat(2_000)}:`).message.length).toBeLessThan(200);
  });

  it('accepts 32,000 characters, 1,024 clauses and 64 levels, and nothing more', () => {
    expect(parseOne('x'.repeat(32_000)).type).toBe('text');
    expect(faultOf('x'.repeat(32_001)).position).toBe(32_001);
    expect(parseQuery('"x" '.repeat(1_024)).clauses).toHaveLength(1_024);
    expect(faultOf('"x" '.repeat(1_025)).message).toMatch(/more than 1024 clauses/);
    expect(parseOne(`${'('.repeat(64)}x${')'.repeat(64)}`).type).toBe('group');
    expect(parseQuery('(x) '.repeat(100)).clauses).toHaveLength(100);
    expect(faultOf(`${'('.repeat(65)}x${')'.repeat(65)}`).message).toMatch(/nested deeper than 64/);
    expect(parseOne(`/${'x'.repeat(1_000)}/`).type).toBe('regex');
    expect(faultOf(`/${'x'.repeat(1_001)}/`).message).toMatch(/1000 characters/);
  });

  it('joins terms side by side unless something claims one', () => {
    expect(shape('a b c')).toEqual(['a b c']);
    expect(shape('a b c:d')).toEqual(['a b', 'd']);
    expect(shape('a b c~1')).toEqual(['a b', 'fuzzy']);
    expect(shape('a b c^2 d e')).toEqual(['a b', 'c', 'd e']);
    expect(shape('a b OR c d')).toEqual(['a', 'b', 'c', 'd']);
    expect(shape('a b * c')).toEqual(['a', 'b', 'wildcard', 'c']);
    expect(shape('a b NOT c d')).toEqual(['a b', 'c', 'd']);
    expect(shape('a\\ b c')).toEqual(['a b c']);
  });

  it('distinguishes the kinds of terms', () => {
    expect(parseOne('f:a\\*')).toMatchObject({ type: 'text', text: 'a*', field: 'f' });
    expect(parseOne('a\\u0042\\**')).toMatchObject({ type: 'prefix', text: 'aB*' });
    expect(parseOne('a\\?*?')).toMatchObject({ type: 'wildcard', pattern: 'a\\?*?' });
    expect(parseOne('**')).toMatchObject({ type: 'wildcard', pattern: '**' });
    expect(parseOne('/a\\/b/')).toMatchObject({ type: 'regex', pattern: 'a\\/b' });
    expect(parseOne('//')).toMatchObject({ type: 'regex', pattern: '' });
    expect(parseOne('first\\ name : "a\\"b"~2.9')).toMatchObject({
      type: 'phrase',
      text: 'a"b',
      slop: 2,
      field: 'first name',
    });
    expect(parseOne('"a b"~')).toMatchObject({ type: 'phrase', slop: 0 });
    expect(parseOne('ANDROID')).toMatchObject({ type: 'text', text: 'ANDROID' });
    expect(parseOne('a~AUTO')).toMatchObject({ type: 'fuzzy', text: 'a' });
  });

  it('reads ranges by their own rules', () => {
    expect(bounds('[a TO b]')).toEqual(['a', 'b', true, true]);
    expect(bounds('{TO TO TO]^3')).toEqual(['TO', 'TO', false, true]);
    expect(bounds('["a b" TO "c\\"d"}')).toEqual(['a b', 'c"d', true, false]);
    expect(bounds('[now-1d/d TO a:(b]')).toEqual(['now-1d/d', 'a:(b', true, true]);
    expect(bounds('["ab"c TO ""]')).toEqual(['"ab"c', '""', true, true]);
    expect(bounds('[\ta TO b\t ]')).toEqual(['\ta', 'b\t', true, true]);
    expect(bounds('[ a  TO\u0020 b \t]')).toEqual(['a', 'b', true, true]);
  });
});

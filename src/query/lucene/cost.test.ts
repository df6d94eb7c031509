import { describe, expect, it } from 'vitest';
import { fastestMs } from '../../../test/query/fastestMs.ts';
import { processorMs } from '../../../test/support/processorMs.ts';
import { Problem } from '../../model/errors.ts';
import { compile } from './compile.ts';
import { searchQueryBudget, streamQueryBudget } from './cost.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';

const mapping = createMapping({
  uid: 'keyword',
  txHash: 'foldedKeyword',
  severity: 'keyword',
  name: 'text',
  'name.keyword': 'keyword',
  message: 'text',
  contractId: 'long',
  timestamp: 'date',
  meta: 'dynamic',
});

const costOfText = (query: string) => compile(parseQuery(query), mapping, 0, Number.POSITIVE_INFINITY).cost;

function refusal(query: string, limit: number): Problem | undefined {
  try {
    compile(parseQuery(query), mapping, 0, limit);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const many = (count: number, clause: (n: number) => string, operator = ' OR ') =>
  Array.from({ length: count }, (_, n) => clause(n)).join(operator);

describe('the cost of a query', () => {
  it.each([
    'severity:HIGH',
    'severity:(HIGH OR CRITICAL) AND contractId:7',
    'meta.usd:>100',
    'meta.usd:[100 TO 500] AND meta.token:USDC',
    'name:*bridge* AND message:transfer*',
    '"large transfer"',
    'meta.token:US*',
    '*usdc*',
    '/0x[0-9a-f]+/',
    'NOT tags:test AND _exists_:meta.usd',
  ])('lets %s be tried on every alert', (query) => {
    expect(refusal(query, streamQueryBudget)).toBeUndefined();
  });

  it.each([
    many(1_024, (n) => `txHash:0x${n}`),
    many(1_024, (n) => `txHash:0x${n}`, ' AND '),
    many(1_024, (n) => `word${n}`),
    many(1_024, (n) => `meta.a${n}:>${n}`),
    many(10, (n) => `*w${n}*`),
    many(100, (n) => `name:w${n}*`),
    `name:(${many(1_024, (n) => `w${n}`)})`,
    many(1_000, (n) => `-message:w${n}`, ' '),
    many(1_000, () => 'message:alpha', ' AND '),
    'message:/x{255}/',
    '/.{300}/',
    'meta.long:/k.{254}/',
  ])('lets %# be searched', (query) => {
    expect(refusal(query, searchQueryBudget)).toBeUndefined();
  });

  it.each([
    [many(1_000, (n) => `*w${n}*`), searchQueryBudget],
    [many(1_000, (n) => `w${n}*`, ' AND '), searchQueryBudget],
    [many(40, (n) => `/w${n}.*/`), searchQueryBudget],
    ['/.*a.{500}/', searchQueryBudget],
    [many(300, (n) => `*w${n}*`), streamQueryBudget],
    [many(20, (n) => `meta.a:*w${n}*`), streamQueryBudget],
    ['meta.a:/.*a.{50}/', streamQueryBudget],
    ['meta.a:"a b c d e"~9', streamQueryBudget],
  ])('refuses %# and says its cost, the limit, a place and what to do', (query, limit) => {
    const problem = refusal(query, limit);
    expect(problem?.code).toBe('invalid-query');
    expect(problem?.message).toMatch(
      new RegExp(`the query costs (more than )?\\d+ and may cost ${limit}; name a field`),
    );
    expect(problem?.members.position).toBeGreaterThan(0);
  });

  // A quiet machine needs a third at most.
  it.each([
    ['words', many(1_000, (n) => `word${n}`), 100],
    ['comparisons', many(1_000, (n) => `>${n}`), 60],
    ['ranges', many(1_000, (n) => `[a${n} TO b${n}]`), 60],
    ['members', many(1_000, (n) => `meta.x:>${n}`), 60],
    ['patterns of names', many(1_000, (n) => `meta.a${n}\\*:x`), 60],
    ['regular expressions', many(20, (n) => `/a${n}.{1,100}b/`), 60],
  ])('is known soon for many %s', (_, query, limit) => {
    const measure = () => processorMs(() => refusal(query, searchQueryBudget));
    expect(fastestMs(limit, measure)).toBeLessThan(limit);
  });

  it('points at the most expensive clause', () => {
    expect(refusal('severity:HIGH AND meta.a:"a b c d e"~9 AND name:x', streamQueryBudget)?.members).toEqual({
      position: 26,
    });
  });

  it('grows with what is asked, and less for words of one field than for patterns', () => {
    expect(costOfText('name:a OR name:b')).toBeLessThan(costOfText('name:a* OR name:b*'));
    expect(costOfText('name:a*')).toBeLessThan(costOfText('a*'));
    expect(costOfText('name:a*')).toBeLessThan(costOfText('meta.name:a*'));
    expect(costOfText('meta.name:a*b')).toBeLessThan(costOfText('meta.name:*a?b*'));
    expect(costOfText('meta.name:/a+/')).toBeLessThan(costOfText('meta.name:/.*a.{30}/'));
  });
});

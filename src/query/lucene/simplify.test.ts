import { expect, it } from 'vitest';
import { documentSource } from '../../../test/query/sqlDocuments.ts';
import { compile } from './compile.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';
import { toSql } from './toSql.ts';

const mapping = createMapping({ eid: 'keyword', severity: 'keyword', message: 'text', meta: 'dynamic' });
const compiled = (query: string) => compile(parseQuery(query), mapping, 0, 10_000);

it.each([
  [
    'NOT eid:(a OR b OR c)',
    '-eid:a -eid:b -eid:c',
    'NOT (eid:a OR eid:b) AND NOT eid:c',
    '-(eid:a) -(eid:(b OR c)) -eid:a',
  ],
  [
    'message:a',
    'message:a AND message:a',
    '+message:a +(message:a)',
    '(message:a AND (message:a AND message:a))',
  ],
  ['+eid:a -eid:b', 'eid:a AND NOT eid:b', 'eid:a AND (NOT eid:b)', '(eid:a AND NOT eid:b) AND *'],
  ['message:a* AND eid:b', 'message:a* AND (message:a* AND eid:b)'],
  ['eid:a OR eid:b', 'eid:(a OR b)', 'eid:a OR (eid:b OR eid:a)'],
])('gives %s one form and one cost, however it is written', (query, ...others) => {
  const { predicate, cost } = compiled(query);
  for (const other of others) expect([other, compiled(other)]).toEqual([other, { predicate, cost }]);
});

it('works a clause out once, however often it is written', () => {
  const repeated = Array.from({ length: 1_000 }, () => 'meta.a:/x.*y{3}/').join(' AND ');
  expect(compiled(repeated).cost).toBe(compiled('meta.a:/x.*y{3}/').cost);
});

it('finds addresses in a member by the index, one in all its spellings, or many', () => {
  const address = (n: number) => `0x${String(n).padStart(2, '0').repeat(20)}`;
  const many = Array.from({ length: 100 }, (_, n) => address(n)).join(' OR ');
  for (const query of [
    `meta.from.keyword:${address(7)}`,
    `meta.from.keyword:(${many})`,
    `meta.from:(${many})`,
  ])
    expect(toSql(compiled(query).predicate, documentSource).narrow, query).not.toEqual([]);
});

import { expect, it } from 'vitest';
import { raw, render } from '../../lib/sql.ts';
import { compile } from './compile.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';
import type { SqlSource } from './sqlSource.ts';
import { rowTest, toSql } from './toSql.ts';

const mapping = createMapping({ severity: 'keyword', meta: 'dynamic' });
const severities = new Map([
  ['LOW', 30],
  ['HIGH', 70],
]);
const source: SqlSource = {
  columns: new Map([
    ['severity', { sql: raw('t.code'), store: 'text', codes: { sql: raw('t.code'), of: severities } }],
    ['meta', { sql: raw('t.meta'), store: 'json', hashed: 'words' }],
  ]),
  oddWords: raw('t.odd_words'),
  terms: raw('t.terms'),
  hash: () => [[1]],
};
const testOf = (query: string) =>
  render(rowTest(toSql(compile(parseQuery(query), mapping, 0, 1000).predicate, source), raw('t.terms'))).text;

it('compares what is cheap before the hashes of a row', () => {
  expect(testOf('meta.token:usdc AND severity:HIGH')).toMatch(
    /^t\.code between 70 and 70 and .*t\.terms &&/s,
  );
  expect(testOf('+meta.token:usdc +severity:(LOW OR HIGH)')).not.toMatch(
    /^t\.code between (30 and 30|70 and 70)/,
  );
});

it('does not demand what only one alternative needs', () => {
  expect(testOf('meta.token:usdc OR severity:HIGH')).not.toContain('between');
  expect(testOf('meta.token:usdc AND NOT severity:HIGH')).not.toContain('between');
});

it('finds nothing by a value that has no number', () => {
  expect(testOf('severity:NONE')).toBe('false');
});

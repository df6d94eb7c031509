import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import { createMapping } from '../../src/query/lucene/mapping.ts';
import { parseQuery } from '../../src/query/lucene/parseQuery.ts';
import { resolve } from '../../src/query/lucene/resolve.ts';
import { findBySql } from './sqlDocuments.ts';
import { useDocumentTable } from './useDocumentTable.ts';

const documents = [
  {
    id: 'star',
    document: { eid: '*', message: 'alpha', timestamp: 1, numericSeverity: 10, meta: { token: 'a' } },
  },
  {
    id: 'plain',
    document: { eid: 'x', message: 'alpha', timestamp: 2, score: 1, meta: { call: { args: { to: 1 } } } },
  },
  {
    id: 'odd',
    document: { eid: 'y', message: 'beta', timestamp: 3, meta: { zz: null, 'c.d': 'z', o: { txHash: 'q' } } },
  },
  { id: 'bare', document: { eid: 'z', message: 'beta', timestamp: 4, meta: {} } },
];
const byId = new Map(documents.map(({ id, document }) => [id, document]));
const mapping = createMapping({
  eid: 'keyword',
  message: 'text',
  numericSeverity: 'long',
  timestamp: 'date',
  score: 'double',
  meta: 'dynamic',
});

const client = useDocumentTable(documents);

async function expectFound(query: string, ids: readonly string[]): Promise<void> {
  const predicate = resolve(parseQuery(query), mapping, 0);
  const matches = createMatcher(predicate);
  const matched = documents.filter(({ document }) => matches(createSubject(document))).map(({ id }) => id);
  expect([matched.sort(), await findBySql(client(), predicate, byId)], query).toEqual([ids, ids]);
}

const all = ['bare', 'odd', 'plain', 'star'];

describe('a star that is quoted or escaped', () => {
  it.each([
    ['timestamp:"*"', []],
    ['timestamp:\\*', []],
    ['-timestamp:"*"', all],
    ['score:"*"', []],
    ['numericSeverity:\\*', []],
    ['\\*', ['star']],
    ['"*"', ['star']],
    ['\\*:"*"', ['star']],
    ['eid:"*"', ['star']],
    ['alpha AND "*"', ['star']],
    ['alpha "*"', ['plain', 'star']],
    ['\\* -alpha', []],
    ['NOT \\*', ['bare', 'odd', 'plain']],
    ['timestamp:*', all],
    ['*', all],
    ['timestamp:["*" TO 1970-01-01]', all],
  ] as [string, string[]][])('is a star, as %s', async (query, ids) => {
    await expectFound(query, ids);
  });
});

describe('a pattern of names', () => {
  it.each([
    ['_exists_:"meta.zz*"', []],
    ['NOT _exists_:"meta.zz*"', all],
    ['_exists_:"meta.t*"', ['star']],
    ['_exists_:"meta.c*"', ['odd', 'plain']],
    ['_exists_:"meta.c.*"', ['odd']],
    ['_exists_:"meta.call*"', ['plain']],
    ['_exists_:"meta.call.ar*"', ['plain']],
    ['_exists_:"meta.*.args.*"', ['plain']],
    ['_exists_:"*Hash"', ['odd']],
    ['meta.c\\*:*', ['odd', 'plain']],
    ['meta.call.\\*:*', ['plain']],
    ['meta.x\\*:*', []],
    ['_exists_:"meta.c*" AND message:alpha', ['plain']],
    ['_exists_:"meta.*"', ['odd', 'plain', 'star']],
    ['_exists_:"num*"', ['star']],
  ] as [string, string[]][])('exists where a member of such a name does, as %s', async (query, ids) => {
    await expectFound(query, ids);
  });
});

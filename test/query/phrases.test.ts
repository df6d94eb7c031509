import { expect, it } from 'vitest';
import { createMatcher } from '../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import { createMapping } from '../../src/query/lucene/mapping.ts';
import { parseQuery } from '../../src/query/lucene/parseQuery.ts';
import { resolve } from '../../src/query/lucene/resolve.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { type Document, findBySql } from './sqlDocuments.ts';
import { useDocumentTable } from './useDocumentTable.ts';

const random = createRandom('phrases');
const words = ['a', 'b', 'a_b', 'vault.eth', 'ä'];
const documents: { id: string; document: Document }[] = Array.from({ length: 150 }, (_, n) => {
  const text = Array.from({ length: random.integer(1, 7) }, () => random.pick(words));
  return { id: `d${n}`, document: { message: text.join(random.pick([' ', ' - ', ', '])) } };
});
documents.push(
  ...[
    ['uni v3', 'curve'],
    ['uni v3', 'x', 'curve'],
    ['curve', 'uni v3'],
    ['uni v3 curve'],
    [['v3'], 'curve'],
    'v3',
  ].map((pools, n) => ({ id: `list ${n}`, document: { message: '', meta: { pools, other: 'curve' } } })),
);
const byId = new Map(documents.map(({ id, document }) => [id, document]));
const mapping = createMapping({ message: 'text', meta: 'dynamic' });

const client = useDocumentTable(documents);

it('words near each other are found by PostgreSQL as the matcher finds them', async () => {
  let found = 0;
  for (const first of words)
    for (const second of words)
      for (const slop of [0, 1, 2, 3, 5]) {
        const query = `message:"${first} ${second}"~${slop}`;
        const predicate = resolve(parseQuery(query), mapping, 0);
        const matches = createMatcher(predicate);
        const right = documents.filter(({ document }) => matches(createSubject(document)));
        const ids = right.map(({ id }) => id).sort();
        expect(await findBySql(client(), predicate, byId), `SEED=${random.seed} ${query}`).toEqual(ids);
        found += ids.length;
      }
  expect(found).toBeGreaterThan(500);
});

it('intersections of regular expressions are narrowed by PostgreSQL and decided by the matcher', async () => {
  const parts = ['a.*', '.*b', 'v.*t', '.{3,}', 'ä|b', '.{300}'];
  let found = 0;
  for (const field of ['message', 'meta.pools', 'meta.pools.keyword'])
    for (const one of parts)
      for (const other of parts) {
        const query = `${field}:/${one}&${other}/`;
        const predicate = resolve(parseQuery(query), mapping, 0);
        const matches = createMatcher(predicate);
        const ids = documents.filter(({ document }) => matches(createSubject(document))).map(({ id }) => id);
        const inSql = await findBySql(client(), predicate, byId);
        expect(inSql, `SEED=${random.seed} ${query}`).toEqual(ids.sort());
        found += ids.length;
      }
  expect(found).toBeGreaterThan(100);
});

it.each([
  ['meta.pools:"v3 curve"', ['list 3']],
  ['meta.pools:"v3 curve"~99', ['list 3']],
  ['meta.pools:"v3 curve"~100', ['list 0', 'list 3', 'list 4']],
  ['meta.pools:"v3 curve"~103', ['list 0', 'list 2', 'list 3', 'list 4']],
  ['meta.pools:"v3 curve"~201', ['list 0', 'list 1', 'list 2', 'list 3', 'list 4']],
  ['meta.pools:"curve x"~201', ['list 1']],
  ['meta.\\*:"v3 curve"~500', ['list 3']],
] as [string, string[]][])('values of a list are 100 positions apart, as %s', async (query, ids) => {
  const predicate = resolve(parseQuery(query), mapping, 0);
  const matches = createMatcher(predicate);
  const found = documents.filter(({ document }) => matches(createSubject(document))).map(({ id }) => id);
  expect([found, await findBySql(client(), predicate, byId)]).toEqual([ids, ids]);
});

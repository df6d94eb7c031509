import { expect, it } from 'vitest';
import { createMatcher } from '../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import { createMapping } from '../../src/query/lucene/mapping.ts';
import { parseQuery } from '../../src/query/lucene/parseQuery.ts';
import { resolve } from '../../src/query/lucene/resolve.ts';
import { findBySql } from './sqlDocuments.ts';
import { useDocumentTable } from './useDocumentTable.ts';

const values: unknown[] = [
  5,
  5.5,
  -5,
  0,
  0.1,
  1e-7,
  1e21,
  5e-324,
  1.7976931348623157e308,
  123456789012345680000,
  '5',
  '7',
  'five',
  true,
  false,
  null,
  {},
  [],
  [[]],
  { n: 5 },
  { deep: { n: 5 } },
  [5],
  [[5]],
  [[[5]]],
  ['5'],
  [4, [6]],
  [{ n: 5 }],
  [[{ n: 5 }]],
  [[[{ n: 5 }]]],
];
const documents = values.map((value, n) => ({
  id: `d${n}`,
  document: { meta: { n: value, m: { n: value } } },
}));
const byId = new Map(documents.map(({ id, document }) => [id, document]));
const mapping = createMapping({
  numericSeverity: 'long',
  timestamp: 'date',
  score: 'double',
  meta: 'dynamic',
});

const client = useDocumentTable(documents);

const ranges =
  '5 [5 TO 5] [4 TO 6] {5 TO 6} [9 TO 10] [* TO *] >5 >=5 <5 <=0 [0.1 TO 0.1] >1e20 <1e-6 [-9 TO 0}'
    .concat(' >1.7976931348623157e308 <-1.7976931348623157e308 123456789012345680000 [1e-323 TO *] [6 TO 4]')
    .split(/ (?![^[{]*[\]}])/);

it.each(ranges)(
  'numbers in JSON are found by %s as the matcher finds them, up to three arrays deep',
  async (range) => {
    for (const field of ['meta.n', 'meta.m.n', 'meta.n.n', 'meta.*', '*']) {
      const name = field === '*' ? '' : `${field.replace('*', '\\*')}:`;
      for (const query of [`${name}${range}`, `NOT ${name}${range}`, `${name}(${range} OR 7)`]) {
        const predicate = resolve(parseQuery(query), mapping, 0);
        const matches = createMatcher(predicate);
        const right = documents
          .filter(({ document }) => matches(createSubject(document)))
          .map(({ id }) => id);
        expect(await findBySql(client(), predicate, byId), query).toEqual(right.sort());
      }
    }
  },
);

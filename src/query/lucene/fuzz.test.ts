import { describe, expect, it } from 'vitest';
import { vectorDocuments } from '../../../test/query/vectorDocuments.ts';
import { processorMs } from '../../../test/support/processorMs.ts';
import { createRandom } from '../../../testing/createRandom.ts';
import { sized } from '../../../testing/proveSize.ts';
import { Problem } from '../../model/errors.ts';
import { createMatcher } from './createMatcher.ts';
import { createSubject } from './createSubject.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';
import { resolve } from './resolve.ts';

/** The promise is held for a million, with PROVE_ROUNDS=1000000; a tenth of that keeps the test quick. */
const randomQueries = Number(process.env.PROVE_ROUNDS ?? sized(2000, 100_000));
const maxMs = 50;

const mapping = createMapping({
  uid: 'keyword',
  txHash: 'foldedKeyword',
  severity: 'keyword',
  message: 'text',
  name: 'text',
  'name.keyword': 'keyword',
  numericSeverity: 'long',
  timestamp: 'date',
  score: 'double',
  meta: 'dynamic',
});
const subjects = vectorDocuments.documents.map(({ document }) => createSubject(document));

const pieces = [
  ...'+-!&|()[]{}^"~*?:\\/<>=@#.,;\'_ \t\n\u3000',
  ...'AND OR NOT TO && || >= <= \\u0041 \\u _exists_ ^2 ~1 ~x *:* /a.*b/ /[a-z]+&~(x)/ /<1-9>{3}@/ /a{9}{9}{9}{9}/'.split(
    ' ',
  ),
  ...'uid message: meta.\\*: meta.token timestamp: now-1d 2025-12-31 score: 1e5 -5 0x1F quick brown é 中 😀 İ'.split(
    ' ',
  ),
  '[a TO b]',
  '{* TO now/d]',
  '"quick fox"~3',
  '\ud83d',
  '\u0000',
  '\u0301',
  'x'.repeat(300),
];
const repeated = pieces.concat(
  'a ,a:,(a ,a AND ,-a ,!a,"a" ,[a TO b] ,a* ,*a*,/a/ ,/a.{9}/ ,a~ ,\\a,"a b"~9 ,a.b.,["'.split(','),
  '[\\","\\,/\\,/.*a{40}/ ,a_,__,9 ,meta.a.,?*,*?a,/~a/ ,"a,a:*OR '.split(','),
);

describe('any string as a query', () => {
  it(`is answered or refused with a reason, ${randomQueries.toLocaleString('en-US')} times`, {
    timeout: 60_000 + 3 * randomQueries,
  }, () => {
    const { random, pick } = createRandom('random queries');
    let answered = 0;
    for (let round = 0; round < randomQueries; round++) {
      const query = Array.from({ length: 1 + Math.floor(random() * 14) }, () => pick(pieces)).join('');
      if (answer(query)) answered += 1;
    }
    expect(answered).toBeGreaterThan(randomQueries / 50);
    expect(answered).toBeLessThan(randomQueries);
  });

  it.each(repeated)('is answered or refused when it is nothing but %j', (piece) => {
    const length = 32_000;
    const query = piece.repeat(length / piece.length);
    expect(typeof answer(query)).toBe('boolean');
    expect(typeof answer(`message:(${query.slice(0, -20)})`)).toBe('boolean');
    expect(typeof answer(`"${query.slice(0, -20)}"~7`)).toBe('boolean');
    expect(typeof answer(`${query.slice(0, -20)}*?`)).toBe('boolean');
  });
});

/** Whether the query can be read; fails if that throws anything but a problem or takes too long. */
function answer(query: string): boolean {
  let isRead = false;
  const run = (): void => {
    isRead = isReadable(query);
  };
  let ms = processorMs(run);
  // Again if it was slow, because garbage of other queries may have been collected in between.
  for (let round = 0; ms > maxMs && round < 5; round++) ms = processorMs(run);
  expect(ms, query.slice(0, 200)).toBeLessThanOrEqual(maxMs);
  return isRead;
}

function isReadable(query: string): boolean {
  try {
    const matches = createMatcher(resolve(parseQuery(query), mapping, vectorDocuments.now));
    for (const subject of subjects) matches(subject);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid-query') return false;
    throw error;
  }
}

import { expect, it } from 'vitest';
import { fastestMs } from '../../../test/query/fastestMs.ts';
import { measureSlowdown } from '../../../test/support/measureSlowdown.ts';
import { processorMs } from '../../../test/support/processorMs.ts';
import { compile } from './compile.ts';
import { streamQueryBudget } from './cost.ts';
import { createMatcher } from './createMatcher.ts';
import { createPacedMatcher } from './createPacedMatcher.ts';
import { createSubject } from './createSubject.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';

const mapping = createMapping({ name: 'text', message: 'text', meta: 'dynamic' });
const compiled = (query: string) => compile(parseQuery(query), mapping, 0, streamQueryBudget).predicate;

/** As large as an alert can be. */
const repeated = (text: string) => text.repeat(900_000 / Buffer.byteLength(text));
const texts = {
  plain: repeated('ab abc '),
  distinct: Array.from({ length: 120_000 }, (_, n) => `${n.toString(36)}.x`).join(' '),
  dotted: repeated('ab.cd 1,000.5 '),
  Cyrillic: repeated('Привет мир '),
  Han: repeated('日本語'),
};
const queries = [
  'nothing',
  '"large transfer"',
  '*usdc*',
  '*a*b*c*q*',
  '/0x[0-9a-f]+/',
  Array.from({ length: 5 }, (_, n) => `meta.text:*a*b*q${n}*`).join(' OR '),
  'meta.text:>zzzzz',
];

it.each(Object.entries(texts))('never reads a large text in %s for long without a pause', async (_, text) => {
  const limitMs = 45 * measureSlowdown();
  for (const query of queries) {
    const matches = createPacedMatcher(compiled(query));
    let longest = Number.POSITIVE_INFINITY;
    // A busy machine stretches single rounds; code that pauses too seldom is slow in all of them.
    for (let round = 0; round < 20 && longest >= limitMs; round++) {
      let most = 0;
      let before = process.cpuUsage();
      const measure = () => {
        const { user, system } = process.cpuUsage(before);
        most = Math.max(most, (user + system) / 1_000);
      };
      await matches(createSubject({ name: 'n', message: 'm', meta: { text } }), async () => {
        measure();
        before = process.cpuUsage();
      });
      measure();
      longest = Math.min(longest, most);
    }
    // A quiet machine needs 15 at most.
    expect(longest, query).toBeLessThan(limitMs);
  }
});

it('decides what the matcher decides', async () => {
  const documents = [
    { name: 'Large transfer', meta: { text: 'to 0xdead' } },
    { name: 'x', message: 'y', meta: { deep: [{ text: 'USDC' }], amount: 5 } },
    { meta: {} },
  ];
  const more = [
    'name:x AND message:y',
    'NOT name:x',
    '+name:x -meta.amount:>4',
    'usdc OR 0xdead',
    '_exists_:name',
    '*',
  ];
  for (const query of [...queries, ...more]) {
    const predicate = compiled(query);
    for (const document of documents) {
      const expected = createMatcher(predicate)(createSubject(document));
      expect(await createPacedMatcher(predicate)(createSubject(document), async () => {}), query).toBe(
        expected,
      );
    }
  }
});

it('reads a large text fast even without a pause', () => {
  for (const text of Object.values(texts)) {
    const matches = createMatcher(compiled('"large transfer" AND nothing'));
    // Beside a walk over its characters, because a busy machine slows both; 0.4 to 0.8 as a rule.
    const measure = () =>
      processorMs(() => matches(createSubject({ meta: { text } }))) / processorMs(() => walk(text));
    expect(fastestMs(1.2, measure)).toBeLessThan(1.2);
  }
});

function walk(text: string): number {
  const seen = new Set<string>();
  for (const [character] of text.matchAll(/[\p{L}\p{N}]/gu)) seen.add(character);
  return seen.size;
}

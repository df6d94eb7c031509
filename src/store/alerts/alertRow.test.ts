import { expect, it } from 'vitest';
import type { Finding } from '../../model/alert.ts';
import { analyze } from '../../query/analyzer.ts';
import { pairHash, splitPairs } from '../../query/pairHash.ts';
import { termHash } from '../../query/termHash.ts';
import { alertRow } from './alertRow.ts';

const finding = (text: string): Finding => ({
  tenantId: 1,
  projectId: 1,
  contractId: 1,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'HIGH',
  timestamp: 0,
  key: 'k',
  eid: 'e',
  name: 'Name',
  message: 'Message',
  meta: { text },
  tags: [],
});

const texts = {
  plain: Array.from({ length: 120_000 }, (_, n) => `w${n % 9_000}`).join(' '),
  dotted: 'ab.cd 1,000.5 '.repeat(60_000),
  Han: '日本語'.repeat(90_000),
};

it.each(Object.entries(texts))(
  'a large text in %s has all its words and yields to the event loop',
  async (_, text) => {
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const row = await alertRow(finding(text), 'u');
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
    const words = analyze(text);
    const terms = new Set(row.terms as number[]);
    expect([...new Set(words)].filter((word) => !hasTerm(terms, 'meta', word))).toEqual([]);
    const odd = row.odd_words as Record<string, string> | null;
    expect(odd?.[text]).toBe(text === texts.plain ? undefined : words.join(' '));
  },
);

it('a unique value is found by both halves of its pair, one of many or of an earlier version by its own hash', async () => {
  const address = `0x${'a1b2c3d4e5'.repeat(4)}`;
  const few = new Set((await alertRow(finding(address), 'u')).terms as number[]);
  const numbers = Array.from({ length: 100 }, (_, n) => 10_000 + n);
  const many = new Set((await alertRow(finding([address, ...numbers].join(' ')), 'u')).terms as number[]);
  const hash = termHash(1, 'meta', address);
  expect([few.has(hash), many.has(hash)]).toEqual([false, true]);
  for (const terms of [few, many, new Set([hash])]) {
    expect(hasTerm(terms, 'meta', address)).toBe(true);
    expect(hasTerm(terms, 'meta', `${address}0`)).toBe(false);
  }
  expect(hasTerm(few, 'meta', '0x a1b')).toBe(true);
  expect(hasTerm(few, 'meta', '0x a1c')).toBe(false);
});

/** As searches ask the index. */
function hasTerm(terms: ReadonlySet<number>, field: string, term: string): boolean {
  const pair = pairHash(1, field, term);
  const hashes = [termHash(1, field, term), ...(pair === undefined ? [] : [pair])];
  return splitPairs(hashes).every((list) => list.some((hash) => terms.has(hash)));
}

import { expect, it } from 'vitest';
import { evidenceReadings, readEvidence } from './evidenceReadings.ts';

it('reads what matters of a drop first, folds settings and raw amounts, and compares before and after', () => {
  const { first, folded, series } = readEvidence('tvl_drop', {
    rawDrop: '5',
    threshold: '10%',
    percent: 100,
    symbol: 'DUSD',
    drop: '500000',
    before: '500000',
    after: '0',
  });
  expect(first).toMatchObject([
    { name: 'drop', title: 'Lost', format: 'amount' },
    { name: 'percent', title: 'Share', format: 'percent' },
  ]);
  expect(folded.map(({ name }) => name)).toEqual(['rawDrop', 'threshold', 'symbol', 'before', 'after']);
  expect(series).toEqual([
    { title: 'Held before', value: 500_000, text: '500000' },
    { title: 'Holds now', value: 0, text: '0' },
  ]);
});

it('reads evidence of an unknown kind in its own order', () => {
  const { first, folded, series } = readEvidence(null, { b: 1, a: 'x', rawAmount: '5', gone: null });
  expect(first.map(({ name }) => name)).toEqual(['b', 'a']);
  expect(folded.map(({ name }) => name)).toEqual(['rawAmount']);
  expect(series).toEqual([]);
});

it('takes no kind from the prototype of an object', () => {
  expect(readEvidence('constructor', { a: 1 }).first.map(({ name }) => name)).toEqual(['a']);
  expect(Object.keys(evidenceReadings).length).toBeGreaterThan(45);
});

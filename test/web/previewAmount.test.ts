import { expect, it } from 'vitest';
import { previewAmount } from '../../web/src/pages/detectors/previewAmount.ts';

const held = { amount: '500000', symbol: 'DUSD' };

it('says how much a share is, and which share an amount is', () => {
  expect(previewAmount('10%', held)).toBe('10 % of 500,000 DUSD = 50,000 DUSD');
  expect(previewAmount(' 0.5 % ', held)).toBe('0.5 % of 500,000 DUSD = 2,500 DUSD');
  expect(previewAmount('1000', held)).toBe('1,000 DUSD = 0.2 % of the 500,000 DUSD that it holds');
  expect(previewAmount('1000', { amount: '0', symbol: 'DUSD' })).toBe('It holds no DUSD now.');
});

it('says nothing of what is neither', () => {
  for (const text of ['', '%', '-5%', '10 %%', '1e5', 'ten', '1'.repeat(60)])
    expect(previewAmount(text, held)).toBeUndefined();
  expect(previewAmount('10%', { ...held, amount: 'none' })).toBeUndefined();
});

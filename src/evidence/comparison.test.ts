import { expect, it } from 'vitest';
import { splitComparison } from './comparison.ts';

it.each([
  ['shares * price <= assets', { left: 'shares * price', operator: '<=', right: 'assets' }],
  ['a===b', { left: 'a', operator: '==', right: 'b' }],
  ['(a > b ? a : b) >= 5n', { left: '(a > b ? a : b)', operator: '>=', right: '5n' }],
  ['a << 2n != b?.c', { left: 'a << 2n', operator: '!=', right: 'b?.c' }],
])('splits %s', (expression, expected) => {
  expect(splitComparison(expression)).toEqual(expected);
});

it.each([
  'a <= b && c <= d',
  'a < b || c',
  'a < b < c',
  'a ? b < c : d',
  'a < b, c',
  'return a < b',
  'x => x < 1',
  "a == 'b<c'",
  'a & b < c',
  'a',
  '<= b',
])('does not take %s for one comparison', (expression) => {
  expect(splitComparison(expression)).toBeUndefined();
});

import { expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { numberTerms, rangeTerms } from './numberTerms.ts';

const random = createRandom('number terms');
const numbers = [0, 1, -1, 0.1, 15.999, 16, 255, 256, 2 ** -40, 2 ** 80, -(2 ** 80), 5e-324, -5e-324]
  .concat([1.7976931348623157e308, -1.7976931348623157e308, 1_763_251_200_000, 2 ** 53])
  .concat(Array.from({ length: 80 }, () => (random.random() - 0.5) * 2 ** random.integer(-60, 100)));

it('every number within a range has one of its terms, in its member and in any', () => {
  for (const min of [undefined, ...numbers])
    for (const max of [undefined, ...numbers]) {
      if (min !== undefined && max !== undefined && min > max) continue;
      const { member, any } = rangeTerms(min, max);
      expect(member.length).toBeLessThan(300);
      for (const value of numbers) {
        if (value < (min ?? -Infinity) || value > (max ?? Infinity)) continue;
        const terms = numberTerms(value);
        const isFound =
          terms.member.some((term) => member.includes(term)) && (any?.includes(terms.any) ?? true);
        if (!isFound) expect.fail(`SEED=${random.seed} ${value} in ${min} to ${max}`);
      }
    }
});

it('a narrow range has few terms, and numbers beside it have none of them', () => {
  const { member, any } = rangeTerms(8092.58, 8092.58);
  expect([member.length, any?.length]).toEqual([1, 1]);
  expect(any).not.toContain(numberTerms(8092.6).any);
  const open = rangeTerms(100).member;
  expect(open.length).toBeLessThan(60);
  expect(numberTerms(95).member.some((term) => open.includes(term))).toBe(false);
  expect(numberTerms(-1e9).member.some((term) => open.includes(term))).toBe(false);
});

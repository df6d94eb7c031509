import { expect, it } from 'vitest';
import { showId, showNumber } from './showNumber.ts';
import { showValue } from './showValue.ts';

it.each<[unknown, string]>([
  [5n, '5'],
  [99_999_999_999n, '99999999999'],
  [100_000_000_000n, '1 × 10^11'],
  [-1_234_567_890_123_456_789n, '-1.2345 × 10^18'],
  ['1000000000000000000', '1 × 10^18'],
  [2n ** 256n - 1n, '2^256 − 1'],
  [1.5, '1.5'],
  [true, 'true'],
  [null, 'null'],
  [['a', 'b'], 'a, b'],
  [{ to: '0x1111', amount: 5n, why: '@here <b>' }, 'to: 0x1111, amount: 5, why: (at)here ‹b›'],
  [{ path: [{ id: 1n }, { id: 2n }] }, 'path: [(id: 1), (id: 2)]'],
  [`0x${'ab'.repeat(100)}`, '0xabababababababab… (100 bytes)'],
  [`0x${'ab'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
  [Array.from({ length: 100 }, () => 7), `${'7, '.repeat(20)}…`],
])('shows %o as %s', (value, shown) => {
  expect(showValue(value)).toBe(shown);
});

it('is cut where it becomes a wall of text', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`name${n}`, 'x'.repeat(50)]));
  expect(showValue(many)).toHaveLength(200);
  expect(showValue({ a: '🙂'.repeat(100), b: '🙂'.repeat(100) })).toMatch(/^a: (🙂)+…$/u);
});

it('shows both ends of a long identifier', () => {
  expect(showId(12n)).toBe('12');
  expect(showId(2n ** 256n - 1n)).toBe('1157…9935');
  expect(showNumber(0n)).toBe('0');
});

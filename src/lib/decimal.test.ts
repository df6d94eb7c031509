import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absoluteDecimal,
  addDecimal,
  compareDecimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  percentChange,
  subtractDecimal,
  toDecimal,
} from './decimal.ts';

describe('a decimal', () => {
  it.each([
    ['0', '0'],
    ['-0.0', '0'],
    ['+12', '12'],
    ['1_000.50', '1000.5'],
    ['.5', '0.5'],
    ['1e18', '1000000000000000000'],
    ['-2.5E-3', '-0.0025'],
    [
      '115792089237316195423570985008687907853269984665640564039457584007913129639935.000000000000000001',
      null,
    ],
  ])('written %s reads back exactly', (text, printed) => {
    expect(formatDecimal(parseDecimal(text))).toBe(printed ?? text);
  });

  it.each(['', '.', '-', '1,000', '1__0', '_1', '1_', '0x10', 'e5', '1e5000', 'NaN', ' 1', '1'.repeat(201)])(
    'is not written %j',
    (text) => {
      expect(() => parseDecimal(text)).toThrow(RangeError);
    },
  );

  it('takes numbers of the language, and refuses those that are none', () => {
    expect(formatDecimal(parseDecimal(1e-7))).toBe('0.0000001');
    expect(() => parseDecimal(Number.POSITIVE_INFINITY)).toThrow(RangeError);
  });

  it('distinguishes amounts that floating point cannot', () => {
    const left = toDecimal(2n ** 200n, 18);
    expect(compareDecimal(left, toDecimal(2n ** 200n + 1n, 18))).toBe(-1);
    expect(compareDecimal(left, toDecimal(2n ** 200n * 100n, 20))).toBe(0);
    expect(compareDecimal(parseDecimal('-1'), parseDecimal('-1.0000000000000000001'))).toBe(1);
  });

  it('calculates as whole numbers do, at every scale', () => {
    const amount = fc.record({ units: fc.bigInt(-(10n ** 60n), 10n ** 60n), scale: fc.nat(30) });
    const scaled = ({ units, scale }: { units: bigint; scale: number }) => units * 10n ** BigInt(30 - scale);
    fc.assert(
      fc.property(amount, amount, (left, right) => {
        const [a, b] = [toDecimal(left.units, left.scale), toDecimal(right.units, right.scale)];
        const difference = scaled(left) - scaled(right);
        expect(Math.sign(compareDecimal(a, b))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
        expect(subtractDecimal(a, b)).toEqual(toDecimal(difference, 30));
        expect(addDecimal(a, b)).toEqual(toDecimal(scaled(left) + scaled(right), 30));
        expect(multiplyDecimal(a, b)).toEqual(toDecimal(scaled(left) * scaled(right), 60));
        expect(parseDecimal(formatDecimal(a))).toEqual(a);
        expect(absoluteDecimal(a).units >= 0n).toBe(true);
      }),
    );
  });

  it('changes in per cent of the size of what was there before', () => {
    const change = (from: string, to: string) => {
      const percent = percentChange(parseDecimal(from), parseDecimal(to));
      return percent && formatDecimal(percent);
    };
    expect(change('200', '150')).toBe('-25');
    expect(change('-200', '-150')).toBe('25');
    expect(change('3', '4')).toBe('33.333333');
    expect(change('0', '4')).toBeUndefined();
  });
});

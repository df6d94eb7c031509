import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toUnits } from '../../lib/decimal.ts';
import type { Price } from '../transactor.ts';
import { bumpFees, chooseFees, toWei } from './chooseFees.ts';

const gwei = 1_000_000_000n;
const wei = fc.bigInt({ min: 1n, max: 10n ** 13n });
const maybeZero = fc.bigInt({ min: 0n, max: 10n ** 12n });
const cap = fc.option(wei, { nil: undefined });
const fees = fc.record({
  baseFee: fc.option(wei, { nil: null }),
  gasPrice: wei,
  tips: fc.record({ slow: maybeZero, market: maybeZero, fast: maybeZero, fastest: maybeZero }),
});
const decimal = fc.integer({ min: 1, max: 10_000_000 }).map((value) => String(value / 1000));
const wish = fc.record({
  price: fc.oneof(fc.constantFrom('slow', 'market', 'fast', 'fastest'), decimal),
  tip: fc.option(decimal, { nil: null }),
});
const offer: fc.Arbitrary<Price> = fc
  .tuple(wei, fc.option(maybeZero, { nil: null }))
  .map(([maxFee, tip]) => ({ maxFee, tip: tip !== null && tip > maxFee ? maxFee : tip }));
const prove = { numRuns: 5000, verbose: 1 } as const;
const tips = { slow: gwei, market: 2n * gwei, fast: 3n * gwei, fastest: 4n * gwei };

describe('chooseFees', () => {
  it('never offers more than the cap, nor a tip above the whole', () => {
    fc.assert(
      fc.property(fees, wish, cap, (now, wanted, most) => {
        const price = chooseFees(now, wanted, most);
        if (!price) return most !== undefined;
        return (most === undefined || price.maxFee <= most) && (price.tip ?? 0n) <= price.maxFee;
      }),
      prove,
    );
  });

  it('offers enough for the next block unless a price was fixed, or nothing at all', () => {
    fc.assert(
      fc.property(fees, wish, cap, (now, wanted, most) => {
        const price = chooseFees(now, wanted, most);
        const isFixed = /^\d/.test(wanted.price);
        const needed = now.baseFee ?? now.gasPrice;
        return isFixed || (price ? price.maxFee >= needed : most! < needed);
      }),
      prove,
    );
  });

  it('offers a tip exactly where the chain has a base fee', () => {
    fc.assert(
      fc.property(fees, wish, cap, (now, wanted, most) => {
        const price = chooseFees(now, wanted, most);
        return !price || (price.tip === null) === (now.baseFee === null);
      }),
      prove,
    );
  });

  it('leaves room for the base fee to rise, by the mode', () => {
    const now = { baseFee: 10n * gwei, gasPrice: 12n * gwei, tips };
    const offers = ['slow', 'market', 'fast', 'fastest'].map((price) =>
      chooseFees(now, { price, tip: null }, undefined),
    );
    expect(offers).toEqual([
      { maxFee: 13n * gwei, tip: gwei },
      { maxFee: 22n * gwei, tip: 2n * gwei },
      { maxFee: 28n * gwei, tip: 3n * gwei },
      { maxFee: 34n * gwei, tip: 4n * gwei },
    ]);
  });
});

describe('bumpFees', () => {
  it('never offers more than the cap, a tenth more of both prices, and at most three times the market', () => {
    fc.assert(
      fc.property(offer, offer, cap, (before, now, most) => {
        const price = bumpFees(before, now, most);
        if (!price) return true;
        return (
          (most === undefined || price.maxFee <= most) &&
          price.maxFee * 10n >= before.maxFee * 11n &&
          price.maxFee <= 3n * now.maxFee &&
          (before.tip === null
            ? price.tip === null
            : price.tip! * 10n >= before.tip * 11n && price.tip! <= price.maxFee)
        );
      }),
      prove,
    );
  });

  it('always offers something when the market asks at least as much as before and nothing caps it', () => {
    fc.assert(
      fc.property(offer, (before) => {
        const now = { maxFee: before.maxFee, tip: before.tip };
        return bumpFees(before, now, undefined) !== undefined || before.maxFee < 10n;
      }),
      prove,
    );
  });

  it('stops where a halted chain would drive the price up without end', () => {
    const market = { maxFee: 30n * gwei, tip: 2n * gwei };
    let price: Price = market;
    let bumps = 0;
    for (let next = bumpFees(price, market, undefined); next; next = bumpFees(price, market, undefined)) {
      price = next;
      bumps++;
    }
    expect(bumps).toBe(8);
    expect(price.tip).toBeLessThanOrEqual(6n * gwei);
    expect(bumpFees(price, market, undefined, true)!.maxFee).toBeGreaterThan(3n * market.maxFee);
    expect(bumpFees(price, market, price.maxFee, true)).toBeUndefined();
  });
});

describe('amounts as people write them', () => {
  it('become the smallest unit, and what is smaller than that is left out', () => {
    expect(toWei('1.5')).toBe(1_500_000_000n);
    expect(toWei('0.0000000019')).toBe(1n);
    expect(toUnits({ units: 5n, scale: 1 }, 18)).toBe(5n * 10n ** 17n);
    expect(toUnits({ units: 19n, scale: 2 }, 1)).toBe(1n);
  });
});

import type { Fees } from '../chains/transactor.ts';
import { type Decimal, parseDecimal } from '../lib/decimal.ts';

/** What a unit of gas may cost, and the tip within it; no tip on chains that know a gas price only. */
export type GasPrice = { maxFee: bigint; tip: bigint | null };

type Wish = { gasPrice: string; gasTip: string | null };

/** Room for the base fee to rise while the transaction waits, in percent. */
const room = { slow: 120n, market: 200n, fast: 250n, fastest: 300n } as const;
const legacyRoom = { slow: 100n, market: 110n, fast: 130n, fastest: 160n } as const;
/** Many nodes do not even keep a transaction without any tip. */
const leastTip = 1_000_000n;

/** What to pay now, or undefined when the cap does not let the next block be paid for. */
export function chooseFees(fees: Fees, wish: Wish, cap: bigint | undefined): GasPrice | undefined {
  const mode = modeOf(wish.gasPrice);
  const fixed = mode ? undefined : toWei(wish.gasPrice);
  if (fees.baseFee === null) {
    const price = fixed ?? (fees.gasPrice * legacyRoom[mode!]) / 100n;
    return cap === undefined || price <= cap
      ? { maxFee: price, tip: null }
      : cap >= fees.gasPrice
        ? { maxFee: cap, tip: null }
        : undefined;
  }
  const wanted = wish.gasTip ? toWei(wish.gasTip) : most(fees.tips[mode ?? 'market'], leastTip);
  const full = fixed ?? (fees.baseFee * room[mode!]) / 100n + wanted;
  const maxFee = cap !== undefined && full > cap ? cap : full;
  // A price that somebody fixed is theirs to know, even if it has to wait for a cheaper block.
  if (fixed === undefined && maxFee < fees.baseFee) return undefined;
  return { maxFee, tip: least(wanted, maxFee) };
}

/** Nodes replace a transaction only for a tenth more; a little above, because they round. */
const bump = 113n;
const leastBump = 110n;

/** A chain that stands still must not drive the price up without end: what is this many times the market's waits. */
const mostOverMarket = 3n;

/**
 * What to pay to replace a transaction, or undefined when the cap or the market does not let it. What gives a call up must
 * replace it however dear that was, and so goes over the market, once.
 */
export function bumpFees(
  before: GasPrice,
  now: GasPrice | undefined,
  cap: bigint | undefined,
  givesUp = false,
): GasPrice | undefined {
  if (!now) return undefined;
  const maxFee = least(most(raised(before.maxFee, bump), now.maxFee), cap);
  if (maxFee < raised(before.maxFee, leastBump)) return undefined;
  if (!givesUp && maxFee > mostOverMarket * now.maxFee) return undefined;
  if (before.tip === null) return { maxFee, tip: null };
  const market = now.tip ?? 0n;
  const tip = least(most(raised(before.tip, bump), market), maxFee);
  if (tip < raised(before.tip, leastBump)) return undefined;
  if (!givesUp && tip > mostOverMarket * most(market, leastTip)) return undefined;
  return { maxFee, tip };
}

function raised(value: bigint, percent: bigint): bigint {
  return (value * percent + 99n) / 100n;
}

function modeOf(word: string): keyof typeof room | undefined {
  return word === 'slow' || word === 'market' || word === 'fast' || word === 'fastest' ? word : undefined;
}

function most(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function least(value: bigint, cap: bigint | undefined): bigint {
  return cap !== undefined && value > cap ? cap : value;
}

/** Gwei as people write it. */
export function toWei(gwei: string): bigint {
  return toUnits(parseDecimal(gwei), 9);
}

/** A decimal of a currency in its smallest unit; what is smaller than that is left out. */
export function toUnits({ units, scale }: Decimal, decimals: number): bigint {
  const shift = decimals - scale;
  return shift >= 0 ? units * 10n ** BigInt(shift) : units / 10n ** BigInt(-shift);
}

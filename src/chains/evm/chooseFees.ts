import { parseDecimal, toUnits } from '../../lib/decimal.ts';
import type { Price, Terms } from '../transactor.ts';

export type Fees = {
  /** Of the next block; null on chains that know a gas price only. */
  baseFee: bigint | null;
  gasPrice: bigint;
  /** Tips that the last blocks took, from the lower quarter to the top. */
  tips: { slow: bigint; market: bigint; fast: bigint; fastest: bigint };
};

/** Percent of the present base fee, or of the gas price of a legacy chain, that the transaction offers: it may rise while it waits. */
const headroom = { slow: 120n, market: 200n, fast: 250n, fastest: 300n } as const;
const legacyHeadroom = { slow: 100n, market: 110n, fast: 130n, fastest: 160n } as const;
/** Many nodes drop a transaction without a tip. */
const minTip = 1_000_000n;

/** The price to offer now; undefined when the cap is below the price of the next block. */
export function chooseFees(
  fees: Fees,
  terms: Pick<Terms, 'price' | 'tip'>,
  cap: bigint | undefined,
): Price | undefined {
  const mode = toMode(terms.price);
  if (fees.baseFee === null) {
    const price = mode ? (fees.gasPrice * legacyHeadroom[mode]) / 100n : toWei(terms.price);
    return cap === undefined || price <= cap
      ? { maxFee: price, tip: null }
      : cap >= fees.gasPrice
        ? { maxFee: cap, tip: null }
        : undefined;
  }
  const tip = terms.tip ? toWei(terms.tip) : max(fees.tips[mode ?? 'market'], minTip);
  const full = mode ? (fees.baseFee * headroom[mode]) / 100n + tip : toWei(terms.price);
  const maxFee = cap !== undefined && full > cap ? cap : full;
  // A fixed price is sent even below the base fee: it waits for a cheaper block.
  if (mode && maxFee < fees.baseFee) return undefined;
  return { maxFee, tip: capAt(tip, maxFee) };
}

/** By how much a call that must come first pays more than what it must come before. */
const aheadPercent = 115n;
/**
 * A pending transaction may name any `maxFee`, which it does not pay: it is followed up to this many times what the next block
 * takes, or a quarter of the cap.
 */
const maxTimesNeeded = 4n;

/**
 * The price of a call that must be mined before a pending transaction. Producers order by the tip above the base fee,
 * some nodes by `maxFee`; both are outbid. Undefined if the cap forbids it.
 */
export function outbid(
  ourPrice: Price,
  ahead: Price,
  { baseFee }: Pick<Fees, 'baseFee'>,
  cap: bigint | undefined,
): Price | undefined {
  if (baseFee === null) {
    const maxFee = max(ourPrice.maxFee, raiseBy(ahead.maxFee, aheadPercent));
    return cap !== undefined && maxFee > cap ? undefined : { maxFee, tip: null };
  }
  const left = ahead.maxFee > baseFee ? ahead.maxFee - baseFee : 0n;
  const paid = ahead.tip === null ? left : capAt(ahead.tip, left);
  const tip = max(ourPrice.tip ?? 0n, raiseBy(paid, aheadPercent) + 1n);
  const needed = baseFee + tip;
  if (cap !== undefined && needed > cap) return undefined;
  const limit = max(maxTimesNeeded * needed, (cap ?? 0n) / maxTimesNeeded);
  const wanted = max(capAt(raiseBy(ahead.maxFee, aheadPercent), limit), ourPrice.maxFee + tip);
  return { maxFee: max(capAt(wanted, cap), needed), tip };
}

/** Nodes accept a replacement from 10 % more; Vigil offers 13 %, because nodes round. */
const bumpPercent = 113n;
const minBumpPercent = 110n;

/** Replacing stops at this many times the market price, so that a halted chain does not drive the price up without end. */
const maxTimesMarket = 3n;

/**
 * The price that replaces a transaction; undefined when the cap or the market limit forbids it. An empty call may
 * exceed the market limit once, because it must outbid the abandoned call.
 */
export function bumpFees(
  before: Price,
  now: Price | undefined,
  cap: bigint | undefined,
  givesUp = false,
): Price | undefined {
  if (!now) return undefined;
  const maxFee = capAt(max(raiseBy(before.maxFee, bumpPercent), now.maxFee), cap);
  if (maxFee < raiseBy(before.maxFee, minBumpPercent)) return undefined;
  if (!givesUp && maxFee > maxTimesMarket * now.maxFee) return undefined;
  if (before.tip === null) return { maxFee, tip: null };
  const market = now.tip ?? 0n;
  const tip = capAt(max(raiseBy(before.tip, bumpPercent), market), maxFee);
  if (tip < raiseBy(before.tip, minBumpPercent)) return undefined;
  if (!givesUp && tip > maxTimesMarket * max(market, minTip)) return undefined;
  return { maxFee, tip };
}

function raiseBy(value: bigint, percent: bigint): bigint {
  return (value * percent + 99n) / 100n;
}

function toMode(gasPrice: string): keyof typeof headroom | undefined {
  return gasPrice === 'slow' || gasPrice === 'market' || gasPrice === 'fast' || gasPrice === 'fastest'
    ? gasPrice
    : undefined;
}

function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function capAt(value: bigint, cap: bigint | undefined): bigint {
  return cap !== undefined && value > cap ? cap : value;
}

export function toWei(gwei: string): bigint {
  return toUnits(parseDecimal(gwei), 9);
}

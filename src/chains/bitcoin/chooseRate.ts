import { parseDecimal, toUnits } from '../../lib/decimal.ts';
import { type NamedPrices, priceNames, priceOf } from '../namedPrices.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { recordOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import type { Terms } from '../transactor.ts';
import { toSatoshis } from './decodeBlock.ts';

/** Rates in satoshis for a thousand virtual bytes. */
export type Rates = NamedPrices & {
  /** Below it no node takes a transaction at present. */
  least: bigint;
  /** By how much a replacement must pay more for its own size. */
  step: bigint;
};

/** In so many blocks a transaction shall be mined. */
const targets = { slow: 72, market: 6, fast: 3, fastest: 2 } as const;
/** A node that has seen too few blocks knows no rates: it is offered these many times the least. */
const guesses = { slow: 1n, market: 2n, fast: 4n, fastest: 8n } as const;

export const rateCalls: readonly RpcCall[] = [
  { method: 'getmempoolinfo', params: [] },
  ...priceNames.map((mode) => ({ method: 'estimatesmartfee', params: [targets[mode]] })),
];

export function readRates([pool, ...estimates]: readonly RpcReply[]): Rates {
  const { mempoolminfee, minrelaytxfee, incrementalrelayfee } = recordOf(resultOf(pool));
  const least = max(toSatoshis(mempoolminfee), toSatoshis(minrelaytxfee));
  const rates = { slow: 0n, market: 0n, fast: 0n, fastest: 0n };
  let floor = least;
  for (const [index, mode] of priceNames.entries()) {
    const { feerate } = recordOf(resultOf(estimates[index]));
    const rate = feerate === undefined ? least * guesses[mode] : toSatoshis(feerate);
    floor = max(floor, rate);
    rates[mode] = floor;
  }
  return { ...rates, least, step: toSatoshis(incrementalrelayfee) };
}

/** An action's fixed rate of more than this many times the market is refused as a mistake or an abuse. */
const maxTimesMarket = 10n;
/** Sixty satoshis a byte: a multiple of an empty pool's rate is still next to nothing. */
const marketFloor = 60_000n;

export type Rate = { rate: bigint } | { reason: string; isFinal: boolean };

/** The rate to offer now. */
export function chooseRate(rates: Rates, { price, maxPrice }: Terms): Rate {
  const far = checkRate(rates, price);
  if (far) return { reason: far, isFinal: true };
  const wanted = priceOf(price, rates, toRate);
  const cap = maxPrice === null ? undefined : toRate(maxPrice);
  const rate = cap !== undefined && wanted > cap ? cap : wanted;
  if (rate >= rates.least) return { rate };
  return {
    reason: `A virtual byte costs at least ${toText(rates.least)} sat at present, and ${toText(rate)} sat are offered.`,
    isFinal: false,
  };
}

export function checkRate(rates: Rates, price: string): string | undefined {
  const limit = max(maxTimesMarket * rates.fastest, marketFloor);
  if (!/^\d/.test(price) || toRate(price) <= limit) return undefined;
  return `The gasPrice of ${price} sat/vB is far above the market: at most ${toText(limit)} sat/vB are paid at the moment. Lower it, or use \`market\`, \`fast\` or \`fastest\` as the gasPrice.`;
}

/** A replacement pays more than before by this, and never more than so many times the market, except to give a call up. */
const bumpPercent = 113n;
const maxReplacementTimes = 3n;

/** The rate that replaces a transaction of this rate; undefined when it would not be taken, or is out of proportion. */
export function bumpRate(
  rates: Rates,
  before: bigint,
  least: bigint,
  terms: Terms,
  givesUp: boolean,
): Rate | undefined {
  const wanted = priceOf(terms.price, rates, toRate);
  const needed = max(max((before * bumpPercent) / 100n, before + rates.step), least);
  const rate = max(needed, wanted);
  if (!givesUp && rate > maxReplacementTimes * max(wanted, rates.least)) return undefined;
  const cap = terms.maxPrice === null ? rate : toRate(terms.maxPrice);
  if (rate <= cap) return { rate };
  if (needed <= cap) return { rate: cap };
  return {
    reason: `It waits for a cheaper block: the wallet may not pay more than ${terms.maxPrice} sat/vB.`,
    isFinal: false,
  };
}

function toRate(satsPerByte: string): bigint {
  return toUnits(parseDecimal(satsPerByte), 3);
}

function toText(rate: bigint): string {
  return String(Number(rate) / 1000);
}

function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

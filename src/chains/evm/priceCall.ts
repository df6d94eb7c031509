import type { Chain } from '../chains.ts';
import type { Failure, Offer, Price, Refusal, StuckCall, Terms } from '../transactor.ts';
import { bumpFees, chooseFees, type Fees, outbid, toWei } from './chooseFees.ts';
import { gasDefaults } from './gasDefaults.ts';

/** An estimate above this is more likely a trap than a call; the action may set a higher `gasLimit` itself. */
const maxEstimatedGas = 10_000_000n;
/** Gas that a call gets on top of its estimate. */
const gasMarginPercent = 10n;
/** An action's fixed price or tip of more than this many times the market is refused as a mistake or an abuse. */
const maxTimesMarket = 10n;

/** Enough gas for an empty call on every chain. */
export const emptyCallGas = 100_000n;

export type Estimate = { gas: bigint } | { failure: Failure };

/** Gas limit and highest price of a call; the only implementation of this rule for firing and simulating. */
export function priceCall(
  chain: Chain,
  terms: Terms,
  estimate: Estimate,
  fees: Fees,
  ahead?: Price,
): Offer | Refusal {
  if ('failure' in estimate) return estimate;
  const chosen = chooseGasLimit(terms, estimate.gas);
  if ('reason' in chosen) return { reason: chosen.reason, isFinal: true };
  const { gasLimit } = chosen;
  const priced = priceGas(chain, terms, fees);
  if ('reason' in priced) return { ...priced, units: gasLimit, ...(ahead && { isFinal: true }) };
  const price = ahead ? outbid(priced.price, ahead, fees, gasPriceCap(terms)) : priced.price;
  if (!price)
    return { reason: `${tooLate} ${terms.maxPrice} gwei (maxGasPrice).`, isFinal: true, units: gasLimit };
  return { units: gasLimit, price, cost: gasLimit * price.maxFee };
}

const tooLate =
  'It was not sent, because it would come too late: to be mined before the pending transaction it would have to pay more than the wallet may:';

/** An empty call pays the market price, whatever its action asks for. */
export function priceEmptyCall(chain: Chain, maxPrice: string | null, fees: Fees): Offer | Refusal {
  const priced = priceGas(chain, marketTerms(maxPrice), fees);
  if ('reason' in priced) return priced;
  return { units: emptyCallGas, price: priced.price, cost: emptyCallGas * priced.price.maxFee };
}

/** The replacement of a stuck transaction; undefined when only patience would help. */
export function repriceCall(chain: Chain, stuck: StuckCall, fees: Fees): Offer | Refusal | undefined {
  const { terms, units, isEmpty, givesUp, ahead, price: before } = stuck;
  const priced = priceGas(chain, isEmpty ? marketTerms(terms.maxPrice) : terms, fees);
  if ('reason' in priced && priced.isFinal) return priced;
  const market = 'price' in priced ? priced.price : undefined;
  const cap = gasPriceCap(terms);
  // A transaction that must come first may pay more than the market, within the cap.
  const first = ahead && market && outbid(market, ahead, fees, cap);
  const price = bumpFees(before, first ?? market, cap, givesUp);
  if (price) {
    // Both may be mined, so the larger gas limit counts.
    const gas = isEmpty && units < emptyCallGas ? emptyCallGas : units;
    return { units: gas, price, cost: gas * price.maxFee };
  }
  if (terms.maxPrice === null) return undefined;
  const reason = `It waits for a cheaper block: the wallet may not pay more than ${terms.maxPrice} gwei for gas.`;
  return { reason, isFinal: false };
}

function marketTerms(maxPrice: string | null): Terms {
  return { price: 'market', limit: null, tip: null, maxPrice };
}

/** Price of a unit of gas now, for any call. */
function priceGas(
  chain: Chain,
  terms: Terms,
  fees: Fees,
): { price: Price } | { reason: string; isFinal: boolean } {
  const reason = checkMarketPrice(chain, terms, fees);
  if (reason) return { reason, isFinal: true };
  const price = chooseFees(fees, terms, gasPriceCap(terms));
  if (price) return { price };
  return {
    reason: `Gas costs more than the ${terms.maxPrice} gwei that the wallet may pay.`,
    isFinal: false,
  };
}

/** The highest price of a unit of gas that the wallet may pay (`maxGasPrice`); undefined without a limit. */
function gasPriceCap({ maxPrice }: Terms): bigint | undefined {
  return maxPrice === null ? undefined : toWei(maxPrice);
}

/** The reason why an action's fixed price or tip is too far above the market; undefined when it is not. */
export function checkMarketPrice(
  chain: Chain,
  { price, tip }: Pick<Terms, 'price' | 'tip'>,
  fees: Fees,
): string | undefined {
  const limit = marketLimit(chain, fees);
  const isFar = (gwei: string | null) => gwei !== null && /^[\d.]+$/.test(gwei) && toWei(gwei) > limit;
  const member = isFar(price) ? 'gasPrice' : isFar(tip) ? 'gasTip' : undefined;
  if (!member) return undefined;
  const fixed = member === 'gasPrice' ? price : tip;
  return `The ${member} of ${fixed} gwei is far above the market: at most ${toGwei(limit)} gwei are paid at the moment. Lower it, or use \`market\`, \`fast\` or \`fastest\` as the gasPrice.`;
}

/**
 * Upper limit of an action's own price or tip, in wei: a multiple of the market, but at least a tenth of the default
 * `maxGasPrice`. Near zero a multiple alone would be too low.
 */
function marketLimit(chain: Chain, { baseFee, gasPrice, tips }: Fees): bigint {
  const market = baseFee === null ? gasPrice : baseFee + tips.market;
  const floor = BigInt(gasDefaults(chain).maxGasPrice) * 100_000_000n;
  if (market * maxTimesMarket < floor) return floor;
  return market * maxTimesMarket;
}

/** The gas limit of a call, or the reason not to make it. */
function chooseGasLimit({ limit }: Terms, gas: bigint): { gasLimit: bigint } | { reason: string } {
  if (limit !== null) {
    if (gas <= BigInt(limit)) return { gasLimit: BigInt(limit) };
    return { reason: `The call needs about ${gas} gas, and the action's limit is ${limit}.` };
  }
  if (gas > maxEstimatedGas)
    return {
      reason: `The call needs about ${gas} gas; above ${maxEstimatedGas} the action must set its gas limit itself.`,
    };
  const padded = (gas * (100n + gasMarginPercent)) / 100n;
  return { gasLimit: padded > maxEstimatedGas ? maxEstimatedGas : padded };
}

function toGwei(wei: bigint): string {
  return String(Number(wei / 1000n) / 1_000_000);
}

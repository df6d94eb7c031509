import { type Chain, getChain } from '../chains/chains.ts';
import { gasDefaults } from '../chains/evm/gasDefaults.ts';
import type { Fees, Prepared } from '../chains/transactor.ts';
import type { ExecutableAction } from '../store/actions/claimIntents.ts';
import { chooseFees, type GasPrice, toWei } from './chooseFees.ts';
import { explainRevert } from './explainRevert.ts';
import { gasPriceCap } from './walletLimits.ts';

/** An estimate above this is more likely a trap than a call; the action may set a higher `gasLimit` itself. */
const maxEstimatedGas = 10_000_000n;
/** Gas that a call gets on top of its estimate. */
const gasMarginPercent = 10n;
/** An action's fixed price or tip of more than this many times the market is refused as a mistake or an abuse. */
const maxTimesMarket = 10n;

export type PricedCall = { gasLimit: bigint; price: GasPrice; cost: bigint };

/** Why a call is not made: for good, or until gas is cheaper. */
export type PriceRefusal = { reason: string; isFinal: boolean };

/** How much gas a call gets and what it may cost at most; the one home of this rule for firing and simulating. */
export function priceCall(
  action: ExecutableAction,
  estimate: Prepared['estimates'][number],
  fees: Fees,
  abi: readonly unknown[],
): PricedCall | (PriceRefusal & { gasLimit?: bigint }) {
  const chosen = chooseGasLimit(action, estimate, abi);
  if ('reason' in chosen) return { reason: chosen.reason, isFinal: true };
  const { gasLimit } = chosen;
  const priced = priceGas(action, fees);
  if ('reason' in priced) return { ...priced, gasLimit };
  return { gasLimit, price: priced.price, cost: gasLimit * priced.price.maxFee };
}

/** What a unit of gas may cost a transaction of the action now, whatever it calls. */
export function priceGas(action: ExecutableAction, fees: Fees): { price: GasPrice } | PriceRefusal {
  const { wallet } = action;
  const reason = checkMarketPrice(getChain(wallet.chainUid), action, fees);
  if (reason) return { reason, isFinal: true };
  const price = chooseFees(fees, action, gasPriceCap(wallet));
  if (price) return { price };
  return {
    reason: `Gas costs more than the ${wallet.maxGasPrice} gwei that the wallet may pay.`,
    isFinal: false,
  };
}

/** The reason why an action's fixed price or tip is too far above the market; undefined when it is not. */
export function checkMarketPrice(
  chain: Chain,
  { gasPrice, gasTip }: Pick<ExecutableAction, 'gasPrice' | 'gasTip'>,
  fees: Fees,
): string | undefined {
  const limit = marketLimit(chain, fees);
  const isFar = (gwei: string | null) => gwei !== null && /^[\d.]+$/.test(gwei) && toWei(gwei) > limit;
  const member = isFar(gasPrice) ? 'gasPrice' : isFar(gasTip) ? 'gasTip' : undefined;
  if (!member) return undefined;
  const fixed = member === 'gasPrice' ? gasPrice : gasTip;
  return `The ${member} of ${fixed} gwei is far above the market: at most ${toGwei(limit)} gwei are paid at the moment. Lower it, or use \`market\`, \`fast\` or \`fastest\` as the gasPrice.`;
}

/**
 * The most that an action's own price or tip may be, in wei: a multiple of the market, but at least a tenth of the default
 * `maxGasPrice` of the chain's wallets, because a multiple of a market near zero is still near zero.
 */
function marketLimit(chain: Chain, { baseFee, gasPrice, tips }: Fees): bigint {
  const market = baseFee === null ? gasPrice : baseFee + tips.market;
  const floor = BigInt(gasDefaults(chain)?.maxGasPrice ?? 0) * 100_000_000n;
  if (market * maxTimesMarket < floor) return floor;
  return market * maxTimesMarket;
}

/** How much gas a call gets, or why it must not be made. */
function chooseGasLimit(
  { gasLimit }: { gasLimit: number | null },
  estimate: Prepared['estimates'][number],
  abi: readonly unknown[],
): { gasLimit: bigint } | { reason: string } {
  if ('reverted' in estimate)
    return { reason: `The call would fail: ${explainRevert(estimate.reverted, abi)}.` };
  const { gas } = estimate;
  if (gasLimit !== null) {
    if (gas <= BigInt(gasLimit)) return { gasLimit: BigInt(gasLimit) };
    return { reason: `The call needs about ${gas} gas, and the action's limit is ${gasLimit}.` };
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

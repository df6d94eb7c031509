import { type Chain, chains } from '../chains/chains.ts';
import type { Fees, Prepared } from '../chains/transactor.ts';
import type { FiredAction } from '../store/actions/claimIntents.ts';
import { chooseFees, type GasPrice, toWei } from './chooseFees.ts';
import { estimateCall } from './estimateCall.ts';
import { marketLimit } from './marketLimit.ts';
import { gasCap } from './walletLimits.ts';

export type PricedCall = { gasLimit: bigint; price: GasPrice; cost: bigint };

/** Why a call is not made: for good, or until gas is cheaper. */
export type Unpriced = { reason: string; isFinal: boolean };

/** How much gas a call gets and what it may cost at most; firing and simulating ask here alone. */
export function priceCall(
  action: FiredAction,
  estimate: Prepared['estimates'][number],
  fees: Fees,
  abi: readonly unknown[],
): PricedCall | (Unpriced & { gasLimit?: bigint }) {
  const estimated = estimateCall(action, estimate, abi);
  if ('reason' in estimated) return { reason: estimated.reason, isFinal: true };
  const { gasLimit } = estimated;
  const priced = priceGas(action, fees);
  if ('reason' in priced) return { ...priced, gasLimit };
  return { gasLimit, price: priced.price, cost: gasLimit * priced.price.maxFee };
}

/** What a unit of gas may cost a transaction of the action now, whatever it calls. */
export function priceGas(action: FiredAction, fees: Fees): { price: GasPrice } | Unpriced {
  const { wallet } = action;
  const chain = chains[wallet.chainUid as Chain['uid']];
  const reason = whyFarAboveMarket(chain, action, fees);
  if (reason) return { reason, isFinal: true };
  const price = chooseFees(fees, action, gasCap(wallet));
  if (price) return { price };
  return {
    reason: `Gas costs more than the ${wallet.maxGasPrice} gwei that the wallet may pay.`,
    isFinal: false,
  };
}

/** Why the fixed price or tip of an action cannot be meant, as far as the market shows; undefined when it may be. */
export function whyFarAboveMarket(
  chain: Chain,
  { gasPrice, gasTip }: Pick<FiredAction, 'gasPrice' | 'gasTip'>,
  fees: Fees,
): string | undefined {
  const limit = marketLimit(chain, fees);
  const isFar = (gwei: string | null) => gwei !== null && /^[\d.]+$/.test(gwei) && toWei(gwei) > limit;
  const member = isFar(gasPrice) ? 'gasPrice' : isFar(gasTip) ? 'gasTip' : undefined;
  if (!member) return undefined;
  const given = member === 'gasPrice' ? gasPrice : gasTip;
  return `The ${member} of ${given} gwei is far above the market: at most ${showGwei(limit)} gwei are paid at the moment. Lower it, or use \`market\`, \`fast\` or \`fastest\` as the gasPrice.`;
}

function showGwei(wei: bigint): string {
  return String(Number(wei / 1000n) / 1_000_000);
}

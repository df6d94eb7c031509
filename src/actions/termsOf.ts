import type { Price, Terms } from '../chains/transactor.ts';
import type { ExecutableAction, Intent } from '../store/actions/claimIntents.ts';

/** Fee settings of the action and its wallet. */
export function termsOf({ gasPrice, gasLimit, gasTip, wallet }: ExecutableAction): Terms {
  return { price: gasPrice, limit: gasLimit, tip: gasTip, maxPrice: wallet.maxGasPrice };
}

/** The price of the pending transaction that the call must come before; undefined where there is none. */
export function toAhead({ ahead }: Pick<Intent, 'ahead'>): Price | undefined {
  return ahead
    ? { maxFee: BigInt(ahead.maxFee), tip: ahead.tip === null ? null : BigInt(ahead.tip) }
    : undefined;
}

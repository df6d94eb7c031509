import type { Terms } from '../chains/transactor.ts';
import type { ExecutableAction } from '../store/actions/claimIntents.ts';

/** What the action and its wallet say about fees. */
export function termsOf({ gasPrice, gasLimit, gasTip, wallet }: ExecutableAction): Terms {
  return { price: gasPrice, limit: gasLimit, tip: gasTip, maxPrice: wallet.maxGasPrice };
}

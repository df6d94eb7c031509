import type { Chain } from '../chains/chains.ts';
import { gasDefaults } from '../chains/gasDefaults.ts';
import type { Fees } from '../chains/transactor.ts';

/** A fixed price this many times the market's is more likely a mistake or an abuse than a wish. */
const timesMarket = 10n;

/**
 * The most that an action's own price or tip may be, in wei: a multiple of the market, but no less than a tenth of what
 * wallets of the chain may pay by default, because multiples of almost nothing say little.
 */
export function marketLimit(chain: Chain, { baseFee, gasPrice, tips }: Fees): bigint {
  const market = baseFee === null ? gasPrice : baseFee + tips.market;
  const floor = BigInt(gasDefaults(chain)?.maxGasPrice ?? 0) * 100_000_000n;
  if (market * timesMarket < floor) return floor;
  return market * timesMarket;
}

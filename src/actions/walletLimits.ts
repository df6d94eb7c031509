import type { Chain } from '../chains/chains.ts';
import { parseDecimal } from '../lib/decimal.ts';
import type { FiredAction } from '../store/actions/claimIntents.ts';
import { toUnits, toWei } from './chooseFees.ts';

type Wallet = FiredAction['wallet'];

/** What the wallet may spend on gas counts over this time. */
export const spendingMs = 3_600_000;

/** Most that a unit of gas may cost the wallet; undefined without a limit. */
export function gasCap({ maxGasPrice }: Wallet): bigint | undefined {
  return maxGasPrice === null ? undefined : toWei(maxGasPrice);
}

/** Most that gas may cost the wallet within that time; undefined without a limit. */
export function spendLimit({ maxHourlySpend }: Wallet, { currency }: Chain): bigint | undefined {
  return maxHourlySpend === null ? undefined : toUnits(parseDecimal(maxHourlySpend), currency.decimals);
}

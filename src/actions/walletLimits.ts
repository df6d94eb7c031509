import type { Chain } from '../chains/chains.ts';
import type { Prepared } from '../chains/transactor.ts';
import { parseDecimal, toUnits } from '../lib/decimal.ts';
import type { ExecutableAction } from '../store/actions/claimIntents.ts';
import type { Spending } from '../store/actions/signing.ts';
import { actionsOn } from './fillCall.ts';

type Wallet = ExecutableAction['wallet'];
type Currency = Chain['currency'];

/** The wallet's `maxHourlySpend` limits what it spends within this time. */
export const spendingWindowMs = 3_600_000;

/** Amount that the wallet may spend within the spending window (`maxHourlySpend`); undefined without a limit. */
export function spendLimit({ maxHourlySpend }: Wallet, { currency }: Chain): bigint | undefined {
  return maxHourlySpend === null ? undefined : toUnits(parseDecimal(maxHourlySpend), currency.decimals);
}

/**
 * The reason why the wallet cannot or may not pay this cost now, and whether more money would help; undefined when it
 * may.
 */
export function checkBudget(
  { uid, currency }: Chain,
  cost: bigint,
  { spent, reserved }: Spending,
  { balance, spendable }: Pick<Prepared, 'balance' | 'spendable'>,
  limit: bigint | undefined,
): { reason: string; needsFunds: boolean } | undefined {
  const refusal = (needsFunds: boolean, reason: string) => ({ reason, needsFunds });
  const { costName } = actionsOn(uid);
  if (spendable === undefined && balance < reserved + cost)
    return refusal(
      true,
      `The wallet has ${toText(balance, currency)}, of which ${toText(reserved, currency)} are reserved for calls under way; ${costName} for this call may cost ${toText(cost, currency)}.`,
    );
  if (spendable !== undefined && spendable < cost)
    return refusal(
      true,
      `The wallet can spend ${toText(spendable, currency)} at the moment, and this call may cost ${toText(cost, currency)}.`,
    );
  if (limit !== undefined && spent + cost > limit)
    return refusal(
      false,
      `The wallet may spend ${toText(limit, currency)} on ${costName} within an hour; ${toText(spent, currency)} are spent or reserved, and this call may cost ${toText(cost, currency)}.`,
    );
  return undefined;
}

function toText(amount: bigint, { symbol, decimals }: Currency): string {
  const digits = String(amount).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction ? `.${fraction}` : ''} ${symbol}`;
}

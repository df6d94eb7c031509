import type { Chain } from '../chains/chains.ts';

type Currency = Chain['currency'];

/** Why the wallet cannot or must not pay this now; undefined when it may. */
export function whyNotPay(
  currency: Currency,
  cost: bigint,
  { spent, reserved }: { spent: bigint; reserved: bigint },
  balance: bigint,
  limit: bigint | undefined,
): string | undefined {
  if (balance < reserved + cost)
    return `The wallet has ${show(balance, currency)}, of which ${show(reserved, currency)} are set aside for calls under way; gas for this one may cost ${show(cost, currency)}.`;
  if (limit !== undefined && spent + cost > limit)
    return `Gas may cost the wallet ${show(limit, currency)} within an hour; ${show(spent, currency)} are spent or set aside, and this call may cost ${show(cost, currency)}.`;
  return undefined;
}

function show(amount: bigint, { symbol, decimals }: Currency): string {
  const digits = String(amount).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction ? `.${fraction}` : ''} ${symbol}`;
}

import { amountOf as amountIn } from '../net/members.ts';

/** A missing amount is zero. */
export function amountOf(value: unknown): bigint {
  return value === undefined ? 0n : amountIn(value, 'an amount');
}

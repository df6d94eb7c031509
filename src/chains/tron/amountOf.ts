import { amountOf as amountIn } from '../net/members.ts';

/** What is left out is zero. */
export function amountOf(value: unknown): bigint {
  return value === undefined ? 0n : amountIn(value, 'an amount');
}

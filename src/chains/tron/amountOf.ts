import { InvalidResponse } from '../net/replies.ts';

/** Amounts are JSON numbers; what is left out is zero. */
export function amountOf(value: unknown): bigint {
  if (value === undefined) return 0n;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new InvalidResponse('an amount is not a whole number');
}

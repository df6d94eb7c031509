import { Type } from 'typebox';
import type { Reader } from '../../../model/detection.ts';
import { defaultDecimals } from '../abi/readTokenDecimals.ts';
import { tokenDecimals } from './assetFacts.ts';

export const decimalsMember = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 77,
    description: `Decimals of the token. Without it those that the token reports, or ${defaultDecimals} if it reports none.`,
  }),
);

/** Decimals of a token whose amounts are compared with plans: those that are known, else its own. */
export function ownDecimals(read: Reader, token: string, known: number | undefined): number {
  return known ?? tokenDecimals(read, token);
}

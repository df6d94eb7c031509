import { Type } from 'typebox';
import { parseFunction } from '../lib/abi.ts';
import type { Reader } from '../model/detection.ts';
import { tryCall } from './readCall.ts';

export const decimalsMember = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 77,
    description: 'Decimals of the token. Without it those that the token tells, or 18 if it tells none.',
  }),
);

/** Decimals of a token whose amounts are compared with plans: those that are known, else its own, else the usual ones. */
export function ownDecimals(read: Reader, token: string, known: number | undefined): number {
  if (known !== undefined) return known;
  const answer = tryCall(read, token, decimals);
  return 'failure' in answer ? usual : Number(answer.results[0]);
}

const decimals = parseFunction('decimals()(uint8)');
const usual = 18;

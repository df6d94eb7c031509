import type { ChainFacts, Interest } from '../model/detection.ts';
import { hasLedgers } from '../model/family.ts';
import { native } from './amounts.ts';

/** An interest in no change at all of a token, by which its ledger is followed where it has one of its own. */
export function ledgerOf(token: string | undefined, { family }: ChainFacts): Interest[] {
  return token === undefined || token === native || !hasLedgers(family)
    ? []
    : [{ on: 'change', address: token, keys: [] }];
}

import { Type } from 'typebox';
import { formatDecimal, multiplyDecimal, toDecimal } from '../../lib/decimal.ts';
import type { ChainFacts, Reader } from '../../model/detection.ts';
import { groupDigits } from '../amounts.ts';
import { Address } from '../parameters.ts';
import { findKnownFeed } from './knownFeeds.ts';
import { tryFeed } from './price.ts';

/** The setting that makes amounts show what they are worth. */
export const usdFeedMember = Type.Optional(
  Address(
    'A feed (AggregatorV3) of the asset’s price in USD, in which amounts are then shown as well. Without it: that of Chainlink, for the native coins and main tokens of the large chains.',
  ),
);

type Priced = {
  token: string;
  /** The one that is set for it. */
  feed: string | undefined;
  chain: ChainFacts;
  /** The time of the block. */
  at: number;
};

/** The known feeds are updated at least once a day; one that is older has been given up. */
const maxAgeMs = 2 * 86_400_000;

/**
 * The worth of an amount, for a sentence (` (1,000 USD)`) and as evidence. Empty without an answering feed: an alert
 * does not wait for a price.
 */
export function usdWorth(
  read: Reader,
  { token, feed: given, chain, at }: Priced,
  units: bigint,
  decimals: number,
): { shown: string; fields: { usd?: string } } {
  const feed = given ?? findKnownFeed(chain.uid, token);
  const round = feed === undefined ? undefined : read.optional(() => tryFeed(read, feed));
  const isOld = given === undefined && round !== undefined && round.updatedAt < at - maxAgeMs;
  if (!round || isOld || round.answer.units <= 0n) return { shown: '', fields: {} };
  const worth = formatDecimal(multiplyDecimal(toDecimal(units, decimals), round.answer));
  const usd = worth.replace(/(\.\d{2})\d+$/, '$1');
  return { shown: ` (${groupDigits(usd)} USD)`, fields: { usd } };
}

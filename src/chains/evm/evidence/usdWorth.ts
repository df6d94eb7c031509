import { Type } from 'typebox';
import { groupDigits } from '../../../evidence/amounts.ts';
import { Address } from '../../../evidence/parameters.ts';
import { formatDecimal, multiplyDecimal, toDecimal } from '../../../lib/decimal.ts';
import type { Reader } from '../../../model/detection.ts';
import { tryFeed } from './price.ts';

/** The setting that makes amounts show what they are worth. */
export const usdFeedMember = Type.Optional(
  Address('A feed (AggregatorV3) of the asset’s price in USD: amounts are then shown in USD as well.'),
);

/**
 * What an amount is worth: for a sentence (` (1,000 USD)`), and as evidence. Nothing without a feed, or where the feed does not
 * answer: an alert does not wait for a price.
 */
export function usdWorth(
  read: Reader,
  feed: string | undefined,
  units: bigint,
  decimals: number,
): { shown: string; fields: { usd?: string } } {
  const round = feed === undefined ? undefined : read.optional(() => tryFeed(read, feed.toLowerCase()));
  if (!round || round.answer.units <= 0n) return { shown: '', fields: {} };
  const worth = formatDecimal(multiplyDecimal(toDecimal(units, decimals), round.answer));
  const usd = worth.replace(/(\.\d{2})\d+$/, '$1');
  return { shown: ` (${groupDigits(usd)} USD)`, fields: { usd } };
}

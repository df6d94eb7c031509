import { harmless } from '../../lib/harmless.ts';
import type { ChainFacts, HoldingSample, Reader } from '../../model/detection.ts';
import { assetFacts } from './tokens.ts';
import { usdWorth } from './usdWorth.ts';

type Held = { token: string; units: bigint; usdFeed?: string | undefined };

/** Assets of one contract that are drawn over time. */
const maxSampledAssets = 20;

/** Holdings with their symbols, and their worth where a price answers. */
export function sampleHoldings(
  read: Reader,
  chain: ChainFacts,
  time: number,
  held: readonly Held[],
): HoldingSample[] {
  return read.all(
    held.slice(0, maxSampledAssets).map(({ token, units, usdFeed }) => () => {
      const { symbol, decimals } = assetFacts(read, chain, token);
      const { usd } = usdWorth(read, { token, feed: usdFeed, chain, at: time }, units, decimals).fields;
      return {
        asset: token,
        symbol: harmless(symbol, 60),
        decimals,
        units,
        ...(usd === undefined ? {} : { usd }),
      };
    }),
  );
}

import type { ChainFacts } from '../model/detection.ts';
import type { Chain } from './chains.ts';

/** What a detector is told of its chain. */
export function toChainFacts({ uid, blockTimeMs, currency }: Chain): ChainFacts {
  return { uid, blockTimeMs, symbol: currency.symbol, decimals: currency.decimals };
}

import type { ChainFacts } from '../model/detection.ts';
import type { Chain } from './chains.ts';
import { families } from './families.ts';

/** The facts of a chain that detectors use. */
export function toChainFacts(chain: Chain): ChainFacts {
  const { uid, family, blockTimeMs, currency } = chain;
  const { show } = families[family];
  return {
    ...(show && { show }),
    uid,
    family,
    blockTimeMs,
    symbol: currency.symbol,
    decimals: currency.decimals,
    canonical(address) {
      const read = families[family].readAddress(address, chain);
      if ('canonical' in read) return read.canonical;
      // Stored before checksums were checked.
      return address.startsWith('0x') ? address.toLowerCase() : address;
    },
  };
}

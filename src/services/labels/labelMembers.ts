import { type ChainUid, getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { shownAddress } from '../../chains/shownAddress.ts';

/** Tags are compared letter by letter, so they are kept in capitals, each once; `;` and `|` part them. */
export function toLabelTags(words: readonly string[]): string[] {
  const tags = words.flatMap((word) => word.split(/[;|\p{Cc}]/u)).map((tag) => tag.trim().toUpperCase());
  return [...new Set(tags)].filter((tag) => tag !== '');
}

/** The address in the spelling under which it is found; a label for every chain has an EVM address. */
export function readLabelAddress(
  address: string,
  chainUid: ChainUid | null,
): { canonical: string } | { fault: string } {
  const chain = getChain(chainUid ?? 'ethereum');
  const read = families[chain.family].readAddress(address, chain);
  // Labels are kept and shown as people know the address.
  return 'fault' in read ? read : { canonical: shownAddress(chain, read.canonical) };
}

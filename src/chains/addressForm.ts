import type { Chain } from './chains.ts';
import { families } from './families.ts';

/** Longer than any address. */
const maxLength = 120;

/** The one form in which records and alerts of the chain have an address, of any form of it; other texts stay as they are. */
export function toAddressForm(chain: Chain): (text: string) => string {
  const { readAddress, show } = families[chain.family];
  return (text) => {
    if (text.length > maxLength || text.includes(' ')) return text;
    // Stored, or pushed from outside, with capitals that are no checksum.
    const plain = /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : text;
    const read = readAddress(plain, chain);
    if ('fault' in read) return text;
    return show?.(read.canonical) ?? read.canonical;
  };
}

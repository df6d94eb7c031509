import { base58check } from '../base58check.ts';
import { decode } from '../decode.ts';
import type { AddressRules } from '../familyRules.ts';

/** The byte in front of every mainnet account; it makes the text start with T. */
export const tronVersion = 0x41;

const addressForm = 'a base58 address of 34 characters that starts with T';

export const tronAddress: AddressRules = {
  addressForm,
  readAddress(text) {
    // The hexadecimal form 41… that some node replies use has no checksum, so it is refused.
    if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text))
      return { fault: `This is not a Tron address: give ${addressForm}.` };
    const bytes = decode(base58check, text, 34);
    if (bytes?.length !== 21 || bytes[0] !== tronVersion)
      return {
        fault:
          'The checksum or the network of the Tron address does not fit: copy the mainnet address again.',
      };
    return { canonical: text };
  },
};

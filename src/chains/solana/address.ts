import { base58 } from '@scure/base';
import { decode } from '../decode.ts';
import type { AddressRules } from '../familyRules.ts';

const addressForm = 'the base58 text of 32 bytes (32 to 44 characters)';

export const solanaAddress: AddressRules = {
  addressForm,
  readAddress(text) {
    // Program-derived addresses lie off the curve on purpose, so only the length can be checked.
    if (decode(base58, text, 44)?.length !== 32)
      return { fault: `This is not a Solana address: give ${addressForm}.` };
    return { canonical: text };
  },
};

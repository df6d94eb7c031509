import type { AddressRules } from '../familyRules.ts';
import { decodeStrkey, strkeyVersion } from './strkey.ts';

const addressForm = 'an account (G…), a contract (C…) or a muxed account (M…) in capital letters and digits';

export const stellarAddress: AddressRules = {
  addressForm,
  readAddress(text) {
    const strkey = decodeStrkey(text);
    if (!strkey)
      return {
        fault: `This is not a Stellar address, or its checksum does not fit: give ${addressForm}.`,
      };
    if (strkey.version === strkeyVersion.seed)
      return {
        fault: `This is a secret seed and not an address, so keep it to yourself: give ${addressForm}.`,
      };
    if (strkey.payload.length !== payloadLengths.get(strkey.version))
      return { fault: `This is a Stellar key of another kind: give ${addressForm}.` };
    return { canonical: text };
  },
};

const payloadLengths = new Map<number, number>([
  [strkeyVersion.account, 32],
  [strkeyVersion.contract, 32],
  // The 32 bytes of the account and a number of 8 bytes.
  [strkeyVersion.muxed, 40],
]);

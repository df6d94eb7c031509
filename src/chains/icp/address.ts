import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import type { AddressRules } from '../familyRules.ts';
import { isPrincipal, toChecksum } from './principal.ts';

const addressForm =
  'a principal (groups of five letters and digits joined by -) or an account identifier (64 hexadecimal digits)';

export const icpAddress: AddressRules = {
  addressForm,
  readAddress(text) {
    const canonical = text.toLowerCase();
    if (/^[0-9a-f]{64}$/.test(canonical)) {
      if (bytesToHex(toChecksum(hexToBytes(canonical.slice(8)))) !== canonical.slice(0, 8))
        return {
          fault:
            'The first 8 digits of an account identifier are a checksum, and it does not fit: copy the identifier again.',
        };
    } else if (!isPrincipal(canonical)) {
      return {
        fault: `This is not an Internet Computer address, or its checksum does not fit: give ${addressForm}.`,
      };
    }
    return { canonical };
  },
};

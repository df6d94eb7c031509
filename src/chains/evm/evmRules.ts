import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { FamilyRules } from '../familyRules.ts';
import { accountOf, readHexKey, toAccount } from '../hexKey.ts';

const addressForm = '0x and 40 hexadecimal digits, either all in one case or with the capitals of EIP-55';

const keyForm = '64 hexadecimal digits, with or without 0x in front';

export const evmRules: FamilyRules = {
  addressForm,
  readAddress(text) {
    if (!/^0x[0-9a-f]{40}$/i.test(text) || text.startsWith('0X'))
      return { fault: `This is not an address of this chain: give ${addressForm}.` };
    const digits = text.slice(2);
    const lower = digits.toLowerCase();
    const isMixed = digits !== lower && digits !== digits.toUpperCase();
    if (isMixed && text !== toChecksumAddress(lower))
      return {
        fault:
          'The capitals do not fit the EIP-55 checksum, so a character is probably wrong: copy the address again, or write it all in lower case if it is right.',
      };
    return { canonical: `0x${lower}` };
  },
  keyForm,
  readKey: (text) => readHexKey(text.startsWith('0x') ? text.slice(2) : text, keyForm),
  generateKey: () => secp256k1.utils.randomSecretKey(),
  deriveAddress: (key) => toChecksumAddress(bytesToHex(toAccount(key))),
  signing: {
    curve: 'secp256k1',
    addressOf: (publicKey) => toChecksumAddress(bytesToHex(accountOf(publicKey))),
  },
};

/** EIP-55: a letter is a capital where the hash of the lower-case digits has a digit of 8 or more. */
export function toChecksumAddress(lowerDigits: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(lowerDigits)));
  const digits = Array.from(lowerDigits, (digit, i) => (hash.charAt(i) >= '8' ? digit.toUpperCase() : digit));
  return `0x${digits.join('')}`;
}

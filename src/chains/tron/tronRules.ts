import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { base58check, decode } from '../encodings.ts';
import type { FamilyRules } from '../familyRules.ts';
import { accountOf, readBareHexKey, toAccount } from '../hexKey.ts';

/** The byte in front of every mainnet account; it makes the text start with T. */
const tronVersion = 0x41;

const addressForm = 'a base58 address of 34 characters that starts with T';

const keyForm = '64 hexadecimal digits without 0x in front, as Tron wallets export it';

export const tronRules: FamilyRules = {
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
  keyForm,
  readKey: (text) => readBareHexKey(text, keyForm),
  generateKey: () => secp256k1.utils.randomSecretKey(),
  deriveAddress: (key) => toAddress(toAccount(key)),
  signing: { curve: 'secp256k1', addressOf: (publicKey) => toAddress(accountOf(publicKey)) },
};

function toAddress(account: Uint8Array): string {
  return base58check.encode(concatBytes(Uint8Array.of(tronVersion), account));
}

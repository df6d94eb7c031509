import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { defineSpelling } from '../../model/spellings.ts';
import { evmRules } from '../evm/evmRules.ts';
import type { FamilyRules } from '../familyRules.ts';
import { accountOf, readBareHexKey, toAccount } from '../hexKey.ts';
import { readShown, showAddress } from './tronAddress.ts';

// Alerts have addresses as people know them, and people may have copied one from a contract.
defineSpelling((text) =>
  /^0x[0-9a-f]{40}$/i.test(text)
    ? showAddress(text.toLowerCase())
    : /^T\w{33}$/.test(text)
      ? readShown(text)
      : undefined,
);

const addressForm =
  'a base58 address of 34 characters that starts with T, or 0x and 40 hexadecimal digits as contracts know it';

/** Free resources of an account, as holdings of these names. */
export const resources: readonly string[] = ['energy', 'bandwidth'];

const keyForm = '64 hexadecimal digits without 0x in front, as Tron wallets export it';

/** Contracts know an account by 20 bytes, as on the EVM, and so does Vigil; people know it by a text with a checksum. */
export const tronRules: FamilyRules = {
  addressForm,
  readAddress(text, chain) {
    if (text.startsWith('0x')) return evmRules.readAddress(text, chain);
    // The hexadecimal form 41… that some node replies use has no checksum, so it is refused.
    if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text))
      return { fault: `This is not a Tron address: give ${addressForm}.` };
    const canonical = readShown(text);
    if (canonical === undefined)
      return {
        fault:
          'The checksum or the network of the Tron address does not fit: copy the mainnet address again.',
      };
    return { canonical };
  },
  // TRC-10 tokens have ids, and what an account may use without paying is held like a token.
  isAsset: (text) => /^1\d{6}$/.test(text) || resources.includes(text),
  show: showAddress,
  keyForm,
  readKey: (text) => readBareHexKey(text, keyForm),
  generateKey: () => secp256k1.utils.randomSecretKey(),
  deriveAddress: (key) => toShown(toAccount(key)),
  signing: { curve: 'secp256k1', addressOf: (publicKey) => toShown(accountOf(publicKey)) },
};

function toShown(account: Uint8Array): string {
  return showAddress(`0x${bytesToHex(account)}`);
}

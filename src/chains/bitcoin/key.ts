import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { bech32 } from '@scure/base';
import { base58check } from '../base58check.ts';
import { decode } from '../decode.ts';
import type { KeyRules } from '../familyRules.ts';
import { bitcoinPrefix, publicKeyHashVersion } from './address.ts';

const mainnetWif = 0x80;
const testnetWif = 0xef;
const compressedMark = 0x01;

const keyForm = 'a mainnet key in wallet import format (WIF), which starts with K, L or 5';

export const bitcoinKey: KeyRules = {
  keyForm,
  readKey(text) {
    const bytes = decode(base58check, text, 60);
    if (bytes?.[0] === testnetWif)
      return { fault: `This key belongs to a Bitcoin test network: give ${keyForm}.` };
    const isCompressed = bytes?.length === 34 && bytes[33] === compressedMark;
    if (bytes?.[0] !== mainnetWif || (bytes.length !== 33 && !isCompressed))
      return { fault: `This is not a Bitcoin private key, or its checksum does not fit: give ${keyForm}.` };
    const key = bytes.slice(1);
    if (!secp256k1.utils.isValidSecretKey(key.subarray(0, 32)))
      return {
        fault: 'No such private key exists: the number must be at least 1 and below the order of secp256k1.',
      };
    return { key };
  },
  generateKey: () => concatBytes(secp256k1.utils.randomSecretKey(), Uint8Array.of(compressedMark)),
  /** A compressed key controls the bc1q address; an uncompressed one, which SegWit forbids, the one with 1. */
  deriveAddress(key) {
    const isCompressed = key.length === 33;
    const hash = ripemd160(sha256(secp256k1.getPublicKey(key.subarray(0, 32), isCompressed)));
    return isCompressed
      ? bech32.encode(bitcoinPrefix, [0, ...bech32.toWords(hash)])
      : base58check.encode(concatBytes(Uint8Array.of(publicKeyHashVersion), hash));
  },
};

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { KeyFault } from './familyRules.ts';

/** Reads the 64 hexadecimal digits in which evm, tron and vechain write a secp256k1 key. */
export function readHexKey(digits: string, keyForm: string): { key: Uint8Array } | KeyFault {
  if (!/^[0-9a-f]{64}$/i.test(digits))
    return { fault: `This is not a private key of this chain: give ${keyForm}.` };
  const key = hexToBytes(digits);
  if (!secp256k1.utils.isValidSecretKey(key))
    return {
      fault: 'No such private key exists: the number must be at least 1 and below the order of secp256k1.',
    };
  return { key };
}

/** Tron and vechain keys are numbers as on the EVM; the 0x is all that gives away a key copied from there. */
export function readBareHexKey(text: string, keyForm: string): { key: Uint8Array } | KeyFault {
  if (text.startsWith('0x'))
    return {
      fault: `A private key with 0x in front is an EVM key and is not used on another chain family: give ${keyForm}.`,
    };
  return readHexKey(text, keyForm);
}

/** The 20 bytes that identify an account of evm, tron and vechain. */
export function toAccount(key: Uint8Array): Uint8Array {
  return accountOf(secp256k1.getPublicKey(key, false));
}

/** The same of an uncompressed public key. */
export function accountOf(publicKey: Uint8Array): Uint8Array {
  return keccak_256(publicKey.subarray(1)).subarray(12);
}

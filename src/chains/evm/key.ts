import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { KeyRules } from '../familyRules.ts';
import { readHexKey, toAccount } from '../hexKey.ts';
import { toChecksumAddress } from './address.ts';

const keyForm = '64 hexadecimal digits, with or without 0x in front';

export const evmKey: KeyRules = {
  keyForm,
  readKey: (text) => readHexKey(text.startsWith('0x') ? text.slice(2) : text, keyForm),
  generateKey: () => secp256k1.utils.randomSecretKey(),
  deriveAddress: (key) => toChecksumAddress(bytesToHex(toAccount(key))),
};

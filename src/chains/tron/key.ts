import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { base58check } from '../base58check.ts';
import type { KeyRules } from '../familyRules.ts';
import { readBareHexKey, toAccount } from '../hexKey.ts';
import { tronVersion } from './address.ts';

const keyForm = '64 hexadecimal digits without 0x in front, as Tron wallets export it';

export const tronKey: KeyRules = {
  keyForm,
  readKey: (text) => readBareHexKey(text, keyForm),
  generateKey: () => secp256k1.utils.randomSecretKey(),
  deriveAddress: (key) => base58check.encode(concatBytes(Uint8Array.of(tronVersion), toAccount(key))),
};

import { ed25519 } from '@noble/curves/ed25519.js';
import type { KeyRules } from '../familyRules.ts';
import { decodeStrkey, encodeStrkey, strkeyVersion } from './strkey.ts';

const keyForm = 'a secret seed of 56 capital letters and digits that starts with S';

export const stellarKey: KeyRules = {
  keyForm,
  readKey(text) {
    const strkey = decodeStrkey(text);
    if (strkey?.version !== strkeyVersion.seed || strkey.payload.length !== 32)
      return { fault: `This is not a Stellar secret seed, or its checksum does not fit: give ${keyForm}.` };
    return { key: strkey.payload };
  },
  generateKey: () => ed25519.utils.randomSecretKey(),
  deriveAddress: (key) => encodeStrkey(strkeyVersion.account, ed25519.getPublicKey(key)),
};

import { ed25519 } from '@noble/curves/ed25519.js';
import { decodeStrkey, encodeStrkey, strkeyVersion, withoutMuxing } from '../../codecs/stellar/strkey.ts';
import type { FamilyRules } from '../familyRules.ts';

const addressForm = 'an account (G…), a contract (C…) or a muxed account (M…) in capital letters and digits';

const payloadLengths = new Map<number, number>([
  [strkeyVersion.account, 32],
  [strkeyVersion.contract, 32],
  // The 32 bytes of the account and a number of 8 bytes.
  [strkeyVersion.muxed, 40],
]);

const keyForm = 'a secret seed of 56 capital letters and digits that starts with S';

export const stellarRules: FamilyRules = {
  addressForm,
  readAddress(text) {
    if (/^[A-Za-z0-9]{1,12}:G[A-Z2-7]{55}$/.test(text))
      return {
        fault:
          'This is an asset by its code and issuer: give the address of its contract (C…), as `stellar contract id asset` and explorers show it, or its issuer (G…).',
      };
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
    return { canonical: withoutMuxing(text) };
  },
  keyForm,
  readKey(text) {
    const strkey = decodeStrkey(text);
    if (strkey?.version !== strkeyVersion.seed || strkey.payload.length !== 32)
      return { fault: `This is not a Stellar secret seed, or its checksum does not fit: give ${keyForm}.` };
    return { key: strkey.payload };
  },
  generateKey: () => ed25519.utils.randomSecretKey(),
  deriveAddress: (key) => encodeStrkey(strkeyVersion.account, ed25519.getPublicKey(key)),
  signing: {
    curve: 'ed25519',
    addressOf: (publicKey) => encodeStrkey(strkeyVersion.account, publicKey),
    publicKeyOf: (address) => decodeStrkey(address)?.payload,
  },
};

import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { decode } from '../../lib/encodings.ts';
import type { FamilyRules } from '../familyRules.ts';

const addressForm = 'the base58 text of 32 bytes (32 to 44 characters)';

const keyForm =
  'the base58 text of the 64-byte key pair, as wallets export it, or the JSON array of its 64 bytes, as the Solana tools write it';

export const solanaRules: FamilyRules = {
  addressForm,
  readAddress(text) {
    // Program-derived addresses lie off the curve on purpose, so only the length can be checked.
    if (decode(base58, text, 44)?.length !== 32)
      return { fault: `This is not a Solana address: give ${addressForm}.` };
    return { canonical: text };
  },
  keyForm,
  readKey(text) {
    const pair = text.startsWith('[') ? readByteArray(text) : decode(base58, text, 88);
    // The 32-byte seed alone is refused: its base58 text looks like an address, which is public.
    if (pair?.length !== 64) return { fault: `This is not a Solana private key: give ${keyForm}.` };
    const key = pair.slice(0, 32);
    if (bytesToHex(ed25519.getPublicKey(key)) !== bytesToHex(pair.subarray(32)))
      return {
        fault:
          'The two halves of the Solana key pair do not belong together, so a character is wrong: copy the key again.',
      };
    return { key };
  },
  generateKey: () => ed25519.utils.randomSecretKey(),
  deriveAddress: (key) => base58.encode(ed25519.getPublicKey(key)),
  signing: {
    curve: 'ed25519',
    addressOf: (publicKey) => base58.encode(publicKey),
    publicKeyOf: (address) => decode(base58, address, 44),
  },
};

function readByteArray(text: string): Uint8Array | undefined {
  if (text.length > 1000 || !/^\[(?:\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]$/.test(text)) return undefined;
  const numbers = text.slice(1, -1).split(',').map(Number);
  return numbers.every((number) => number <= 255) ? Uint8Array.from(numbers) : undefined;
}

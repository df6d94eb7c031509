import { ed25519 } from '@noble/curves/ed25519.js';
import { encodeStrkey, strkeyVersion } from '../../src/codecs/stellar/strkey.ts';

export type StellarKey = { readonly secret: Uint8Array; readonly address: string; readonly seed: string };

/** A key pair that depends on the number alone. */
export const stellarKey = (number: number): StellarKey => toKey(new Uint8Array(32).fill(number));
/** A key pair that no network has seen. */
export const createStellarKey = (): StellarKey => toKey(ed25519.utils.randomSecretKey());

export function toKey(secret: Uint8Array): StellarKey {
  return {
    secret,
    address: encodeStrkey(strkeyVersion.account, ed25519.getPublicKey(secret)),
    seed: encodeStrkey(strkeyVersion.seed, secret),
  };
}

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { type ChainUid, chains, chainUids } from '../chains/chains.ts';
import type { Db } from '../store/db.ts';
import type { Keyring } from '../store/keyring.ts';
import { findWalletKey, type WalletPlace } from '../store/wallets/walletKeys.ts';
import { keyLabel, privateKeyPlace } from './keyPlace.ts';
import type { Hsm } from './pkcs11/openHsm.ts';
import { toEvmAddress } from './toEvmAddress.ts';

/** s is in the lower half, and the key of `address` made the signature: each signer makes sure of both. */
export type Signature = { r: bigint; s: bigint; yParity: 0 | 1 };
export type Signer = { address: string; sign(hash: Uint8Array): Promise<Signature> };

type Means = { db: Db; keyring: Keyring; hsm: Hsm | undefined };

/** The signer of a wallet on an EVM chain, or of one of its former addresses. */
export async function openSigner(means: Means, place: WalletPlace, address?: string): Promise<Signer> {
  const key = await findWalletKey(means.db, place, address);
  if (!key)
    throw new Error(`There is no key of wallet ${place.walletId}${address ? ` for ${address}` : ''}.`);
  const uid = chainUids.find((known): known is ChainUid => known === key.chainUid);
  if (!uid || chains[uid].family !== 'evm')
    throw new Error(`Wallet ${place.walletId} is on ${key.chainUid}, and Vigil signs on EVM chains only.`);
  if (key.sealedKey) return createSealedSigner(means.keyring, place, { ...key, sealedKey: key.sealedKey });
  if (!means.hsm || !key.moduleKeyId)
    throw new Error(
      `The key of wallet ${place.walletId} is in a PKCS#11 module, and none is configured here.`,
    );
  return createModuleSigner(means.hsm, { label: keyLabel(place), id: key.moduleKeyId }, key.address);
}

/** The key is open only while it signs. */
function createSealedSigner(
  keyring: Keyring,
  place: WalletPlace,
  { address, sealedKey }: { address: string; sealedKey: Buffer },
): Signer {
  let isOwn = false;
  return {
    address,
    async sign(hash) {
      const digits = await keyring.unsealBytes(privateKeyPlace(place), sealedKey);
      const key = fromHexDigits(digits);
      try {
        isOwn ||= toEvmAddress(secp256k1.getPublicKey(key, false)) === address;
        if (!isOwn) throw wrongKey(address);
        const options = { prehash: false, lowS: true, format: 'recovered' } as const;
        const signature = secp256k1.Signature.fromBytes(secp256k1.sign(hash, key, options), 'recovered');
        return { r: signature.r, s: signature.s, yParity: signature.recovery === 1 ? 1 : 0 };
      } finally {
        key.fill(0);
        digits.fill(0);
      }
    },
  };
}

function createModuleSigner(hsm: Hsm, name: { label: string; id: string }, address: string): Signer {
  return {
    address,
    async sign(hash) {
      const { r, s } = await hsm.sign(name, hash);
      const half = secp256k1.Point.CURVE().n / 2n;
      const low = s > half ? secp256k1.Point.CURVE().n - s : s;
      // The module does not tell on which side the point lies: of both keys that could have signed, one is the wallet's.
      for (const yParity of [0, 1] as const) {
        const key = new secp256k1.Signature(r, low, yParity).recoverPublicKey(hash);
        if (toEvmAddress(key.toBytes(false)) === address) return { r, s: low, yParity };
      }
      throw wrongKey(address);
    },
  };
}

/** A string of the digits could not be wiped. */
function fromHexDigits(digits: Buffer): Buffer {
  const value = (place: number) => {
    const code = digits[place] ?? 0;
    return code < 58 ? code - 48 : code - 87;
  };
  const key = Buffer.alloc(digits.length / 2);
  for (let n = 0; n < key.length; n++) key[n] = value(2 * n) * 16 + value(2 * n + 1);
  return key;
}

function wrongKey(address: string): Error {
  return new Error(`The key that is kept for ${address} is that of another address, so nothing was signed.`);
}

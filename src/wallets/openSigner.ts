import { secp256k1 } from '@noble/curves/secp256k1.js';
import { getChain } from '../chains/chains.ts';
import { families } from '../chains/families.ts';
import type { Db } from '../store/db.ts';
import type { Keyring } from '../store/keyring.ts';
import { findWalletKey, type WalletRef } from '../store/wallets/walletKeys.ts';
import type { Hsm } from './pkcs11/openHsm.ts';
import { keyLabel, privateKeyRef } from './walletKey.ts';

/** Each signer checks that s is in the lower half and that the key of `address` made the signature. */
export type Signature = { r: bigint; s: bigint; yParity: 0 | 1 };
export type Signer = { address: string; sign(hash: Uint8Array): Promise<Signature> };

type Account = { address: string; addressOf: (publicKey: Uint8Array) => string };
type SignerContext = { db: Db; keyring: Keyring; hsm: Hsm | undefined };

/** The signer of a wallet on an EVM chain, or of one of its former addresses. */
export async function openSigner(
  context: SignerContext,
  wallet: WalletRef,
  address?: string,
): Promise<Signer> {
  const key = await findWalletKey(context.db, wallet, address);
  if (!key)
    throw new Error(`There is no key of wallet ${wallet.walletId}${address ? ` for ${address}` : ''}.`);
  const { addressOf } = families[getChain(key.chainUid).family];
  if (!addressOf)
    throw new Error(`Wallet ${wallet.walletId} is on ${key.chainUid}, and Vigil signs on EVM chains only.`);
  if (key.sealedKey)
    return createSealedSigner(context.keyring, wallet, { ...key, sealedKey: key.sealedKey, addressOf });
  if (!context.hsm || !key.moduleKeyId)
    throw new Error(
      `The key of wallet ${wallet.walletId} is in a PKCS#11 module, and none is configured here.`,
    );
  return createModuleSigner(
    context.hsm,
    { label: keyLabel(wallet), id: key.moduleKeyId },
    { ...key, addressOf },
  );
}

/** The key is open only while it signs. */
function createSealedSigner(
  keyring: Keyring,
  wallet: WalletRef,
  { address, sealedKey, addressOf }: Account & { sealedKey: Buffer },
): Signer {
  let isVerified = false;
  return {
    address,
    async sign(hash) {
      const digits = await keyring.unsealBytes(privateKeyRef(wallet), sealedKey);
      const key = fromHexDigits(digits);
      try {
        isVerified ||= addressOf(secp256k1.getPublicKey(key, false)) === address;
        if (!isVerified) throw keyMismatch(address);
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

function createModuleSigner(
  hsm: Hsm,
  name: { label: string; id: string },
  { address, addressOf }: Account,
): Signer {
  return {
    address,
    async sign(hash) {
      const { r, s } = await hsm.sign(name, hash);
      const half = secp256k1.Point.CURVE().n / 2n;
      const low = s > half ? secp256k1.Point.CURVE().n - s : s;
      // The module does not return the parity: of the two keys that could have signed, one is the wallet's.
      for (const yParity of [0, 1] as const) {
        const key = new secp256k1.Signature(r, low, yParity).recoverPublicKey(hash);
        if (addressOf(key.toBytes(false)) === address) return { r, s: low, yParity };
      }
      throw keyMismatch(address);
    },
  };
}

/** Reads hex from the buffer, because a string could not be wiped from memory. */
function fromHexDigits(digits: Buffer): Buffer {
  const value = (index: number) => {
    const code = digits[index] ?? 0;
    return code < 58 ? code - 48 : code - 87;
  };
  const key = Buffer.alloc(digits.length / 2);
  for (let n = 0; n < key.length; n++) key[n] = value(2 * n) * 16 + value(2 * n + 1);
  return key;
}

function keyMismatch(address: string): Error {
  return new Error(`The key stored for ${address} belongs to another address; nothing was signed.`);
}

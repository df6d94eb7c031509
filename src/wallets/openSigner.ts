import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Chain, getChain } from '../chains/chains.ts';
import { families } from '../chains/families.ts';
import type { FamilyRules } from '../chains/familyRules.ts';
import type { Signature } from '../chains/transactor.ts';
import type { Keyring } from '../model/keyring.ts';
import type { Db } from '../store/db/db.ts';
import { findWalletKey, type WalletRef } from '../store/wallets/walletKeys.ts';
import type { Hsm } from './pkcs11/openHsm.ts';
import { keyLabel, privateKeyRef } from './walletKey.ts';

/**
 * Signs a payload of the chain's family: a hash for ECDSA on secp256k1, or a message for Ed25519. Signers check that s
 * is low and that the signature fits `address`.
 */
export type Signer = { address: string; sign(payload: Uint8Array): Promise<Signature> };

type Account = { address: string; signing: NonNullable<FamilyRules['signing']>; chain: Chain };
type SignerContext = { db: Db; keyring: Keyring; hsm: Hsm | undefined };

/** The signer of a wallet, or of one of its former addresses. */
export async function openSigner(
  context: SignerContext,
  wallet: WalletRef,
  address?: string,
): Promise<Signer> {
  const key = await findWalletKey(context.db, wallet, address);
  if (!key)
    throw new Error(`There is no key of wallet ${wallet.walletId}${address ? ` for ${address}` : ''}.`);
  const chain = getChain(key.chainUid);
  const { signing } = families[chain.family];
  if (!signing)
    throw new Error(`Wallet ${wallet.walletId} is on ${key.chainUid}, where Vigil does not sign yet.`);
  const account = { address: key.address, signing, chain };
  if (key.sealedKey) return createSealedSigner(context.keyring, wallet, account, key.sealedKey);
  if (!context.hsm || !key.moduleKeyId)
    throw new Error(
      `The key of wallet ${wallet.walletId} is in a PKCS#11 module, and none is configured here.`,
    );
  return createModuleSigner(context.hsm, { label: keyLabel(wallet), id: key.moduleKeyId }, account);
}

/** The key is open only while it signs. */
function createSealedSigner(
  keyring: Keyring,
  wallet: WalletRef,
  { address, signing, chain }: Account,
  sealedKey: Buffer,
): Signer {
  const { addressOf } = signing;
  let verified: Uint8Array | undefined;
  return {
    address,
    async sign(payload) {
      const digits = await keyring.unsealBytes(privateKeyRef(wallet), sealedKey);
      const key = fromHexDigits(digits);
      let opened: Uint8Array | undefined;
      try {
        const { curve, secret } = signing.open?.(key) ?? {
          curve: signing.curve,
          secret: key.subarray(0, 32),
        };
        opened = secret;
        const publicKey = verified ?? publicKeyOf(curve, secret);
        if (!verified && addressOf(publicKey, chain) !== address) throw keyMismatch(address);
        verified = publicKey;
        if (curve === 'ed25519') return { bytes: ed25519.sign(payload, secret), yParity: 0, publicKey };
        const options = { prehash: false, lowS: true, format: 'recovered' } as const;
        const signed = secp256k1.sign(toHash(signing, payload), secret, options);
        return { bytes: signed.subarray(1), yParity: signed[0] === 1 ? 1 : 0, publicKey };
      } finally {
        key.fill(0);
        opened?.fill(0);
        digits.fill(0);
      }
    },
  };
}

function toHash({ hashesMessages }: Account['signing'], payload: Uint8Array): Uint8Array {
  return hashesMessages ? sha256(payload) : payload;
}

function publicKeyOf(curve: Account['signing']['curve'], secret: Uint8Array): Uint8Array {
  return curve === 'ed25519' ? ed25519.getPublicKey(secret) : secp256k1.getPublicKey(secret, false);
}

function createModuleSigner(hsm: Hsm, name: { label: string; id: string }, account: Account): Signer {
  const { address, signing, chain } = account;
  const { curve, addressOf } = signing;
  if (curve === 'ed25519') return createMessageSigner(hsm, name, account);
  return {
    address,
    async sign(payload) {
      const hash = toHash(signing, payload);
      const { r, s } = await hsm.sign(name, hash);
      const half = secp256k1.Point.CURVE().n / 2n;
      const low = s > half ? secp256k1.Point.CURVE().n - s : s;
      // The module does not return the parity: of the two keys that could have signed, one is the wallet's.
      for (const yParity of [0, 1] as const) {
        const signature = new secp256k1.Signature(r, low, yParity);
        const publicKey = signature.recoverPublicKey(hash).toBytes(false);
        if (addressOf(publicKey, chain) === address)
          return { bytes: signature.toBytes('compact'), yParity, publicKey };
      }
      throw keyMismatch(address);
    },
  };
}

/** The module does not tell the key that it signs with, so that the one of the address must fit the signature. */
function createMessageSigner(
  hsm: Hsm,
  name: { label: string; id: string },
  { address, signing: { addressOf, publicKeyOf: keyOf }, chain }: Account,
): Signer {
  const publicKey = keyOf?.(address);
  if (!publicKey || addressOf(publicKey, chain) !== address)
    throw new Error(`The address ${address} does not tell its public key.`);
  return {
    address,
    async sign(message) {
      const bytes = await hsm.signMessage(name, message);
      if (!ed25519.verify(bytes, message, publicKey)) throw keyMismatch(address);
      return { bytes, yParity: 0, publicKey };
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

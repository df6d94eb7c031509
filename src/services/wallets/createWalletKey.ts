import { randomBytes } from 'node:crypto';
import { type ChainUid, getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { recordPendingKey, removePendingKey } from '../../store/wallets/moduleKeys.ts';
import type { WalletRef } from '../../store/wallets/walletKeys.ts';
import type { Hsm } from '../../wallets/pkcs11/openHsm.ts';
import { Pkcs11Error } from '../../wallets/pkcs11/pkcs11Error.ts';
import { keyLabel, privateKeyRef } from '../../wallets/walletKey.ts';
import type { Call } from '../call.ts';

/** Columns of a wallet's row. */
type WalletKeyColumns = { address: string; sealedKey: Buffer | null; moduleKeyId: string | null };

/** Seals the supplied key, or a new one, to the wallet. */
export function createSealedKey(
  call: Call,
  wallet: WalletRef,
  chainUid: ChainUid,
  privateKey?: string | null,
): WalletKeyColumns {
  const chain = getChain(chainUid);
  const family = families[chain.family];
  const read = privateKey == null ? { key: family.generateKey() } : family.readKey(privateKey, chain);
  if ('fault' in read) throw unprocessable('/privateKey', 'key-mismatch', read.fault);
  return {
    address: family.deriveAddress(read.key, chain),
    sealedKey: call.services.keyring.seal(privateKeyRef(wallet), Buffer.from(read.key).toString('hex')),
    moduleKeyId: null,
  };
}

/** Creates a key in the module. If the transaction of this call fails, `destroyOrphanKeys` finds the pending row and destroys the key. */
export async function createModuleKey(
  call: Call,
  wallet: WalletRef,
  chainUid: ChainUid,
): Promise<WalletKeyColumns> {
  const { hsm, store } = call.services;
  if (!hsm)
    throw unprocessable(
      '/type',
      'no-module',
      'HSM wallets need a PKCS#11 module, and none is configured here; set VIGIL_PKCS11_MODULE.',
    );
  const chain = getChain(chainUid);
  const { signing } = families[chain.family];
  if (!signing) throw unprocessable('/type', 'no-module', 'Vigil does not sign on this chain.');
  const name = { label: keyLabel(wallet), id: randomBytes(16).toString('hex') };
  await recordPendingKey(store, name, call.now);
  const publicKey = await createKey(hsm, name, signing.curve);
  await removePendingKey(call.db, name.id);
  return { address: signing.addressOf(publicKey, chain), sealedKey: null, moduleKeyId: name.id };
}

async function createKey(
  hsm: Hsm,
  name: { label: string; id: string },
  curve: 'secp256k1' | 'ed25519',
): Promise<Uint8Array> {
  try {
    return await hsm.createKey(name, curve);
  } catch (error) {
    if (!(error instanceof Pkcs11Error)) throw error;
    if (error.code === 'no-curve') throw unprocessable('/type', 'no-module', error.message);
    throw new Problem(
      'unavailable',
      `The key cannot be created at the moment. ${error.message}`,
      { retryAfterSeconds: 10 },
      { cause: error },
    );
  }
}

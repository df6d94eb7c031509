import { randomBytes } from 'node:crypto';
import { type ChainUid, chains } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { adoptKey, announceKey } from '../../store/wallets/moduleKeys.ts';
import type { WalletPlace } from '../../store/wallets/walletKeys.ts';
import { keyLabel, privateKeyPlace } from '../../wallets/keyPlace.ts';
import type { Hsm } from '../../wallets/pkcs11/openHsm.ts';
import { Pkcs11Error } from '../../wallets/pkcs11/pkcs11Error.ts';
import { toEvmAddress } from '../../wallets/toEvmAddress.ts';
import type { Call } from '../call.ts';

/** Columns of a wallet's row. */
type MadeKey = { address: string; sealedKey: Buffer | null; moduleKeyId: string | null };

/** Seals a given or new key to the wallet. */
export function makeSealedKey(
  call: Call,
  place: WalletPlace,
  chainUid: ChainUid,
  privateKey?: string | null,
): MadeKey {
  const chain = chains[chainUid];
  const family = families[chain.family];
  const read = privateKey == null ? { key: family.generateKey() } : family.readKey(privateKey);
  if ('fault' in read) throw unprocessable('/privateKey', 'key-mismatch', read.fault);
  return {
    address: family.deriveAddress(read.key, chain),
    sealedKey: call.services.keyring.seal(privateKeyPlace(place), Buffer.from(read.key).toString('hex')),
    moduleKeyId: null,
  };
}

/** Makes a key in the module. Should the transaction of this call fail, the key is found by its announcement and destroyed. */
export async function makeModuleKey(call: Call, place: WalletPlace, chainUid: ChainUid): Promise<MadeKey> {
  const { hsm, store } = call.services;
  if (!hsm)
    throw unprocessable(
      '/type',
      'no-module',
      'HSM wallets need a PKCS#11 module, and none is configured here.',
    );
  if (chains[chainUid].family !== 'evm')
    throw unprocessable('/type', 'no-module', 'HSM wallets can be made for EVM chains only.');
  const name = { label: keyLabel(place), id: randomBytes(16).toString('hex') };
  await announceKey(store, name, call.now);
  const publicKey = await createKey(hsm, name);
  await adoptKey(call.db, name.id);
  return { address: toEvmAddress(publicKey), sealedKey: null, moduleKeyId: name.id };
}

async function createKey(hsm: Hsm, name: { label: string; id: string }): Promise<Uint8Array> {
  try {
    return await hsm.createKey(name);
  } catch (error) {
    if (!(error instanceof Pkcs11Error)) throw error;
    throw new Problem(
      'unavailable',
      `The key cannot be made at the moment. ${error.message}`,
      { retryAfterSeconds: 10 },
      { cause: error },
    );
  }
}

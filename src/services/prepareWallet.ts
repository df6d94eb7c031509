import { type ChainUid, chains } from '../chains/chains.ts';
import { families } from '../chains/families.ts';
import { invalid, unprocessable } from '../model/errors.ts';
import type { Row } from '../store/records.ts';
import type { Call } from './call.ts';
import type { Change } from './recordKind.ts';

type WalletChange = Omit<Change, 'input'> & {
  input: { chainUid?: ChainUid | null; type?: 'DEFAULT' | 'HSM' | null; privateKey?: string | null };
};

/** A new wallet's key is checked for its chain (or made), its address derived, and the key sealed to this record. */
export function prepareWallet(call: Call, { id, tenantId, input, current }: WalletChange): Row {
  const { privateKey, ...rest } = input;
  if (current) return rest;
  if (input.type === 'HSM') {
    if (privateKey != null) {
      throw invalid('/privateKey', 'not-allowed', 'A private key can be given only when `type` is DEFAULT.');
    }
    throw unprocessable(
      '/type',
      'no-module',
      'HSM wallets need a PKCS#11 module, and none is configured here.',
    );
  }
  const chain = chains[input.chainUid!];
  const family = families[chain.family];
  const read = privateKey == null ? { key: family.generateKey() } : family.readKey(privateKey);
  if ('fault' in read) throw unprocessable('/privateKey', 'key-mismatch', read.fault);
  const place = { tenantId, kind: 'wallet', id: id!, member: 'privateKey' };
  return {
    ...rest,
    address: family.deriveAddress(read.key, chain),
    sealedKey: call.services.keyring.seal(place, Buffer.from(read.key).toString('hex')),
  };
}

import type { ChainUid } from '../chains/chains.ts';
import { invalid } from '../model/errors.ts';
import type { Row } from '../store/records.ts';
import type { Call } from './call.ts';
import { makeModuleKey, makeSealedKey } from './makeWalletKey.ts';
import type { Change } from './recordKind.ts';

type WalletChange = Omit<Change, 'input'> & {
  input: { chainUid?: ChainUid | null; type?: 'DEFAULT' | 'HSM' | null; privateKey?: string | null };
};

/** A new wallet's key is checked for its chain (or made), its address derived, and the key sealed to this record or kept in the module. */
export async function prepareWallet(
  call: Call,
  { id, tenantId, input, current }: WalletChange,
): Promise<Row> {
  const { privateKey, ...rest } = input;
  if (current) return rest;
  const place = { tenantId: tenantId!, walletId: id! };
  if (input.type !== 'HSM') return { ...rest, ...makeSealedKey(call, place, input.chainUid!, privateKey) };
  if (privateKey != null)
    throw invalid('/privateKey', 'not-allowed', 'A private key can be given only when `type` is DEFAULT.');
  return { ...rest, ...(await makeModuleKey(call, place, input.chainUid!)) };
}

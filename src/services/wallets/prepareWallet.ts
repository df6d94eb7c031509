import { type Chain, type ChainUid, chains } from '../../chains/chains.ts';
import { gasDefaults } from '../../chains/gasDefaults.ts';
import { invalid } from '../../model/errors.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import type { Change } from '../records/recordKind.ts';
import { makeModuleKey, makeSealedKey } from './makeWalletKey.ts';
import { type GivenCall, readAllowedCalls } from './readAllowedCalls.ts';

type WalletChange = Omit<Change, 'input'> & {
  input: {
    chainUid?: ChainUid | null;
    type?: 'DEFAULT' | 'HSM' | null;
    privateKey?: string | null;
    maxGasPrice?: string | null;
    maxHourlySpend?: string | null;
    allowedCalls?: readonly GivenCall[] | null;
  };
};

/** A new wallet's key is checked for its chain (or made), its address derived, and the key sealed to this record or kept in the module. */
export async function prepareWallet(
  call: Call,
  { id, tenantId, input, current }: WalletChange,
): Promise<Row> {
  const { privateKey, ...members } = input;
  const chainUid = (current ? current.chainUid : input.chainUid) as ChainUid;
  const chain = chains[chainUid];
  const allowed = input.allowedCalls && {
    allowedCalls: await readAllowedCalls(call, tenantId!, chain, input.allowedCalls),
  };
  if (current) return { ...members, ...allowed };
  const rest = { ...defaultLimits(chain), ...members, ...allowed };
  const place = { tenantId: tenantId!, walletId: id! };
  if (input.type !== 'HSM') return { ...rest, ...makeSealedKey(call, place, input.chainUid!, privateKey) };
  if (privateKey != null)
    throw invalid('/privateKey', 'not-allowed', 'A private key can be given only when `type` is DEFAULT.');
  return { ...rest, ...(await makeModuleKey(call, place, input.chainUid!)) };
}

/** Null means no limit. */
function defaultLimits(chain: Chain): Row {
  const defaults = gasDefaults(chain);
  if (!defaults) return {};
  return { maxGasPrice: String(defaults.maxGasPrice), maxHourlySpend: String(defaults.maxHourlySpend) };
}

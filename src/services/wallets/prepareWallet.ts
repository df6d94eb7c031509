import { type Chain, type ChainUid, chains } from '../../chains/chains.ts';
import { gasDefaults } from '../../chains/evm/gasDefaults.ts';
import { invalid } from '../../model/errors.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import type { Change } from '../records/recordKind.ts';
import { createModuleKey, createSealedKey } from './createWalletKey.ts';
import { type AllowedCallInput, readAllowedCalls } from './readAllowedCalls.ts';

type WalletChange = Omit<Change, 'input'> & {
  input: {
    chainUid?: ChainUid | null;
    type?: 'DEFAULT' | 'HSM' | null;
    privateKey?: string | null;
    maxGasPrice?: string | null;
    maxHourlySpend?: string | null;
    allowedCalls?: readonly AllowedCallInput[] | null;
  };
};

/** Checks or creates the key of a new wallet, derives its address, and seals the key to this record or keeps it in the module. */
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
  if (input.type !== 'HSM') return { ...rest, ...createSealedKey(call, place, input.chainUid!, privateKey) };
  if (privateKey != null)
    throw invalid('/privateKey', 'not-allowed', 'A private key can be given only when `type` is DEFAULT.');
  return { ...rest, ...(await createModuleKey(call, place, input.chainUid!)) };
}

function defaultLimits(chain: Chain): Row {
  const defaults = gasDefaults(chain);
  if (!defaults) return {};
  return { maxGasPrice: String(defaults.maxGasPrice), maxHourlySpend: String(defaults.maxHourlySpend) };
}

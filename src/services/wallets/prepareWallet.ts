import { type Chain, getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { invalid, unprocessable } from '../../model/errors.ts';
import { lockApprovers } from '../../store/accounts/users.ts';
import { type Row, reserveId } from '../../store/records/records.ts';
import { walletTable } from '../../store/tables/walletTable.ts';
import type { Call } from '../call.ts';
import { holdChain } from '../contracts/holdChain.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';
import { createModuleKey, createSealedKey } from './createWalletKey.ts';
import { readAllowedCalls } from './readAllowedCalls.ts';

type WalletChange = ChangeOf<typeof walletTable>;

/** Checks or creates the key of a new wallet, derives its address, and seals the key to this record or keeps it in the module. */
export async function prepareWallet(call: Call, change: WalletChange): Promise<Row> {
  const { input, current } = change;
  const { privateKey, ...members } = input;
  const tenantId = tenantOf(change);
  if (input.approvers) await checkApprovers(call, tenantId, input.approvers);
  const chainUid = current ? current.chainUid : input.chainUid;
  const chain = getChain(chainUid);
  const allowed = input.allowedCalls && {
    allowedCalls: await readAllowedCalls(call, tenantId, chain, input.allowedCalls),
  };
  if (current) return { ...members, ...allowed };
  await holdChain(call, chain.uid);
  const id = await reserveId(call.db, walletTable);
  const rest = { id, ...defaultLimits(chain), allowedCalls: [], ...members, ...allowed };
  const walletRef = { tenantId, walletId: id };
  if (input.type !== 'HSM') return { ...rest, ...createSealedKey(call, walletRef, chainUid, privateKey) };
  if (privateKey != null)
    throw invalid('/privateKey', 'not-allowed', 'A private key can be given only when `type` is DEFAULT.');
  return { ...rest, ...(await createModuleKey(call, walletRef, chainUid)) };
}

/** A missing user and another tenant's are reported alike. */
async function checkApprovers(call: Call, tenantId: number, ids: readonly number[]): Promise<void> {
  const users = await lockApprovers(call.db, tenantId, ids);
  const index = ids.findIndex((id) => !users.has(id));
  if (index >= 0)
    throw unprocessable(
      `/approvers/${index}`,
      'unknown-reference',
      'must be an active user of the tenant with the role tenant-user or tenant-manager.',
    );
}

function defaultLimits(chain: Chain): Row {
  return families[chain.family].actions?.defaultLimits(chain) ?? {};
}

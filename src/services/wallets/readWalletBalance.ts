import { spendingWindowMs } from '../../actions/walletLimits.ts';
import type { ChainClient } from '../../chains/chainClient.ts';
import { getChain } from '../../chains/chains.ts';
import { zip } from '../../lib/zip.ts';
import { Problem } from '../../model/errors.ts';
import { findSpending } from '../../store/actions/signing.ts';
import { findRecord } from '../../store/records/records.ts';
import { walletTable } from '../../store/tables/walletTable.ts';
import { findDrainingKeys, findWalletLimits } from '../../store/wallets/walletKeys.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from '../contracts/noEndpoint.ts';
import { readBalances } from '../contracts/readBalances.ts';

export type WalletBalance = {
  chainUid: string;
  block: number;
  symbol: string;
  decimals: number;
  address: string;
  balance: string;
  limits: { maxGasPrice: string | null; maxHourlySpend: string | null; spentLastHour: string };
  former: { address: string; balance: string; rotatedAt: number }[];
};

const names = ['id', 'tenantId', 'chainUid', 'address'] as const;

/** The balances of the wallet's address and of its former addresses, in the chain's own currency. */
export async function readWalletBalance(call: Call, id: number): Promise<WalletBalance> {
  const wallet = await findRecord(call.db, walletTable, call.scope, id, names);
  if (!wallet) throw new Problem('not-found', 'There is no such wallet.');
  const chain = getChain(wallet.chainUid);
  const client = call.services.chains.client(chain.uid);
  if (!client) throw new Problem('conflict', `The balance cannot be read. ${noEndpoint(chain.uid)}`);
  const walletRef = { tenantId: wallet.tenantId, walletId: id };
  const former = await findDrainingKeys(call.db, walletRef);
  const { spent } = await findSpending(call.db, walletRef, call.now - spendingWindowMs);
  const { address } = wallet;
  const { block, balances } = await readOrThrow(client, [address, ...former.map((key) => key.address)]);
  const [balance, ...formerBalances] = balances;
  return {
    chainUid: chain.uid,
    block,
    symbol: chain.currency.symbol,
    decimals: chain.currency.decimals,
    address,
    balance: String(balance),
    limits: { ...(await findWalletLimits(call.db, walletRef)), spentLastHour: String(spent) },
    former: zip(former, formerBalances).map(([key, balance]) => ({
      address: key.address,
      balance: String(balance),
      rotatedAt: key.createdAt,
    })),
  };
}

async function readOrThrow(client: ChainClient, addresses: readonly string[]) {
  try {
    return await readBalances(client, addresses);
  } catch (cause) {
    const problem = 'The chain does not respond at the moment, so the balance cannot be read.';
    throw new Problem('unavailable', problem, { retryAfterSeconds: 5 }, { cause });
  }
}

import { spendingMs } from '../../actions/walletLimits.ts';
import type { ChainClient } from '../../chains/chainClient.ts';
import { chains, chainUids } from '../../chains/chains.ts';
import { Problem } from '../../model/errors.ts';
import { findSpending } from '../../store/actions/signing.ts';
import { findRecord } from '../../store/records/records.ts';
import { findDrainingKeys, findWalletLimits } from '../../store/wallets/walletKeys.ts';
import { walletTable } from '../../store/wallets/walletTable.ts';
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

/** What the wallet's address holds of the chain's own currency, and what its former addresses still hold. */
export async function readWalletBalance(call: Call, id: number): Promise<WalletBalance> {
  const wallet = await findRecord(call.db, walletTable, call.scope, id, names);
  if (!wallet) throw new Problem('not-found', 'There is no such wallet.');
  const chain = chains[chainUids.find((uid) => uid === wallet.chainUid)!];
  const client = call.services.chains.client(chain.uid);
  if (!client) throw new Problem('conflict', `The balance cannot be read. ${noEndpoint(chain.uid)}`);
  const place = { tenantId: Number(wallet.tenantId), walletId: id };
  const former = await findDrainingKeys(call.db, place);
  const { spent } = await findSpending(call.db, place, call.now - spendingMs);
  const address = String(wallet.address);
  const { block, balances } = await ask(client, [address, ...former.map((key) => key.address)]);
  return {
    chainUid: chain.uid,
    block,
    symbol: chain.currency.symbol,
    decimals: chain.currency.decimals,
    address,
    balance: String(balances[0]!),
    limits: { ...(await findWalletLimits(call.db, place)), spentLastHour: String(spent) },
    former: former.map((key, n) => ({
      address: key.address,
      balance: String(balances[n + 1]!),
      rotatedAt: key.createdAt,
    })),
  };
}

async function ask(client: ChainClient, addresses: readonly string[]) {
  try {
    return await readBalances(client, addresses);
  } catch (cause) {
    const problem = 'The chain does not answer at the moment, so the balance cannot be read.';
    throw new Problem('unavailable', problem, { retryAfterSeconds: 5 }, { cause });
  }
}

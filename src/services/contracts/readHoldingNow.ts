import { getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { formatUnits, native } from '../../evidence/amounts.ts';
import { harmless } from '../../lib/harmless.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import { invalid } from '../../model/errors.ts';
import { findRecord } from '../../store/records/records.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { Call } from '../call.ts';
import { readBalances } from './readBalances.ts';
import { readTokenState } from './readTokenState.ts';

/** Holding of one asset after the newest block. */
type HoldingNow = {
  asset: string;
  symbol: string;
  decimals: number;
  amount: string;
  blockNumber: number;
};

const timeLimitMs = 5000;

/** Null where the chain does not answer, or the address is no token. */
export async function readHoldingNow(call: Call, id: number, asset: string): Promise<HoldingNow | null> {
  const record = await findRecord(call.db, contractTable, call.scope, id, ['chainUid', 'address']);
  const chain = getChain(String(record?.chainUid));
  const client = call.services.chains.client(chain.uid);
  const holder = String(record?.address);
  if (asset !== native) {
    const token = families[chain.family].readAddress(asset, chain);
    if ('fault' in token) throw invalid('/query/token', 'not-an-address', token.fault);
    if (!client || chain.family !== 'evm') return null;
    const state = await readTokenState(client, token.canonical, [holder]);
    if ('fault' in state) return null;
    const { symbol, decimals, balances, block } = state;
    const amount = formatUnits(balances[0] ?? 0n, decimals);
    return {
      asset: token.canonical,
      symbol: harmless(symbol ?? asset, 60),
      decimals,
      amount,
      blockNumber: block,
    };
  }
  if (!client) return null;
  const read = readBalances(client, [holder]).catch(() => undefined);
  const found = await settleWithin(timeLimitMs, read, () => undefined);
  if (!found) return null;
  const { symbol, decimals } = toChainFacts(chain);
  const amount = formatUnits(found.balances[0] ?? 0n, decimals);
  return { asset, symbol, decimals, amount, blockNumber: found.block };
}

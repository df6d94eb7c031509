import type { Transaction } from '../model/block.ts';
import { native } from './amounts.ts';

export type CoinMove = { readonly from: string; readonly to: string; readonly amount: bigint };
export type AssetMove = CoinMove & { readonly asset: string };

/** Native coins that a transaction moves between the watched address and others. */
export function coinMoves(transaction: Transaction, watched: string): CoinMove[] {
  if (transaction.parties) return assetMoves(transaction, watched).filter(({ asset }) => asset === native);
  const { from, value } = transaction;
  const to = transaction.to ?? transaction.created;
  return to === undefined ? [] : [{ from, to, amount: value }];
}

/**
 * Moves between the watched address and others: per asset all inflow is one move and all outflow another, with the
 * largest counterparty, because thresholds are about the whole. Of a watched asset every transfer counts.
 */
export function assetMoves({ transfers }: Transaction, watched: string): AssetMove[] {
  const sums = new Map<string, AssetMove>();
  for (const [index, { asset, from, to, amount }] of transfers.entries()) {
    if (![asset, from, to].includes(watched)) continue;
    const key = asset === watched ? String(index) : `${asset} ${from === watched ? 'out' : 'in'}`;
    const cached = sums.get(key);
    sums.set(key, {
      asset,
      from: from ?? (asset === native ? coinbase : mint),
      to: to ?? (asset === native ? unknown : burn),
      ...cached,
      amount: (cached?.amount ?? 0n) + amount,
    });
  }
  return [...sums.values()];
}

/** Names of senders and receivers without an address: new coins, odd outputs, minted and burned tokens. */
const coinbase = 'coinbase';
const unknown = 'an output without an address';
const mint = 'the mint';
const burn = 'no one (burned)';

import type { Transaction } from '../model/block.ts';

export type CoinMove = { readonly from: string; readonly to: string; readonly amount: bigint };

/**
 * Native coins that a transaction moves between the watched address and others. Where a transaction has many parties, all that
 * comes in is one move and all that goes out another, with the largest counterparty: thresholds are about the whole.
 */
export function coinMoves(transaction: Transaction, watched: string): CoinMove[] {
  if (!transaction.parties) {
    const { from, to, value } = transaction;
    return to === null ? [] : [{ from, to, amount: value }];
  }
  const { transfers } = transaction;
  const incoming = transfers.filter((transfer) => transfer.to === watched);
  const outgoing = transfers.filter((transfer) => transfer.from === watched);
  return [
    ...sumUp(incoming, ({ from: giver }) => ({ from: giver ?? coinbase, to: watched })),
    ...sumUp(outgoing, ({ to: taker }) => ({ from: watched, to: taker ?? unknown })),
  ];
}

/** Who pays new coins, and an output that has no address. */
const coinbase = 'coinbase';
const unknown = 'an output without an address';

function sumUp(
  [largest, ...rest]: Transaction['transfers'],
  ends: (transfer: Transaction['transfers'][number]) => Omit<CoinMove, 'amount'>,
): CoinMove[] {
  if (!largest) return [];
  return [{ ...ends(largest), amount: rest.reduce((sum, { amount }) => sum + amount, largest.amount) }];
}

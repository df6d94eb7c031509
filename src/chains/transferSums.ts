import type { Payment, Transfer } from '../model/block.ts';

/** Native coins that the transfers move. */
export function coinsIn(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((sum, { asset, amount }) => (asset === 'native' ? sum + amount : sum), 0n);
}

/** Payments of a transaction that tells all that it moves: the only one, or those of a source. */
export function* paymentsIn(
  transfers: readonly Transfer[],
  isSource: (address: string) => boolean,
): Generator<Payment> {
  const isDirect = transfers.length === 1;
  for (const { from, to } of transfers)
    if (from !== null && to !== null && (isDirect || isSource(from))) yield { from, to, isDirect };
}

import type { SentTransaction, Terms } from './transactor.ts';

export const priceNames = ['slow', 'market', 'fast', 'fastest'] as const;

/** Prices of a unit by their names. */
export type NamedPrices = Readonly<Record<(typeof priceNames)[number], bigint>>;

/** The price of an action, which it names or fixes. */
export function priceOf(price: string, market: NamedPrices, read: (text: string) => bigint = BigInt): bigint {
  const name = priceNames.find((candidate) => candidate === price);
  return name ? market[name] : read(price);
}

/** True if it is more than the wallet may pay. */
export function isBeyondLimit(price: bigint, { maxPrice }: Pick<Terms, 'maxPrice'>): boolean {
  return maxPrice !== null && price > BigInt(Math.floor(Number(maxPrice)));
}

/** Long before nodes forget transactions it is not believed any more that one was never taken. */
const maxAgeMs = 12 * 3_600_000;

export function refuseForgotten(sent: readonly SentTransaction[], now: number): void {
  if (sent.some(({ signedAt }) => signedAt < now - maxAgeMs))
    throw new Error('A transaction is so old that nodes may have forgotten it.');
}

import type { Transfer } from '../model/block.ts';

/**
 * Transfers that explain what each address has more or less after a transaction: the largest giver pays the largest taker,
 * until one of them is done. What no taker gets is the fee.
 */
export function pairFlows(changes: ReadonlyMap<string | null, bigint>, asset = 'native'): Transfer[] {
  const all = [...changes].map(([address, amount]) => ({ address, amount }));
  const givers = all.flatMap(({ address, amount }) => (amount < 0n ? [{ address, left: -amount }] : []));
  const takers = all.flatMap(({ address, amount }) => (amount > 0n ? [{ address, left: amount }] : []));
  givers.sort(largestFirst);
  takers.sort(largestFirst);
  const transfers: Transfer[] = [];
  let next = 0;
  for (const taker of takers) {
    while (taker.left > 0n) {
      const giver = givers[next];
      // Nothing is left to give: the rest came into being.
      const amount = giver && giver.left < taker.left ? giver.left : taker.left;
      transfers.push({ asset, from: giver?.address ?? null, to: taker.address, amount });
      taker.left -= amount;
      if (!giver) continue;
      giver.left -= amount;
      if (giver.left === 0n) next++;
    }
  }
  return transfers;
}

function largestFirst(a: { left: bigint }, b: { left: bigint }): number {
  return a.left < b.left ? 1 : a.left > b.left ? -1 : 0;
}

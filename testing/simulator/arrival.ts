import type { SignedTx } from './parseTransaction.ts';

/** One arrival of a raw transaction, and what became of it: `accepted`, `lost` on the way, or the error. */
export type Arrival = { tx: SignedTx; atMs: number; outcome: string };

/** A transaction in a block, which a fork may have dropped since. */
export type Mining = {
  tx: SignedTx;
  blockNumber: number;
  blockHash: string;
  status: boolean;
  gasUsed: number;
  /** Paid per gas. */
  price: bigint;
};

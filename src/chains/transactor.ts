/** What it takes to bring transactions onto a chain. */
export type Transactor = {
  /** What must be known before calls of one account are signed, of one node and one moment. */
  prepare(from: string, calls: readonly CallRequest[]): Promise<Prepared>;
  /** In this order. */
  broadcast(raws: readonly string[]): Promise<Broadcast[]>;
  /** How far each of these transactions has come, all seen by one node. */
  progress(hashes: readonly string[]): Promise<Progress>;
  /** The price of gas now. */
  fees(): Promise<Fees>;
  /** How many transactions of the account were mined up to this block, and which of these were; seen by one node. */
  countMined(address: string, block: number, hashes: readonly string[]): Promise<MinedCount>;
  /** Why the call fails after this block, as far as it does. */
  findRevert(call: CallRequest & { from: string }, block: number): Promise<Revert | undefined>;
};

type CallRequest = { to: string; data: string };

export type Prepared = {
  fees: Fees;
  balance: bigint;
  /** The next number of the account, transactions that wait in the pool counted in. */
  nextNonce: number;
  /** Gas that each call needs, or why it would fail. */
  estimates: ({ gas: bigint } | { reverted: Revert })[];
};

/** In the chain's words, and what the contract itself said. */
export type Revert = { reason: string; data: string };

export type Fees = {
  /** Of the next block; null on chains that know a gas price only. */
  baseFee: bigint | null;
  gasPrice: bigint;
  /** Tips that the last blocks took, from the lower quarter to the top. */
  tips: { slow: bigint; market: bigint; fast: bigint; fastest: bigint };
};

/**
 * `accepted`, also when it was known before. `stale`: the number is used already, by this transaction or by another.
 * `underpriced`: it pays too little to replace the one that is there. `refused`: for good or for now, the reason says.
 */
export type Broadcast =
  | { outcome: 'accepted' | 'stale' | 'underpriced' }
  | { outcome: 'refused'; reason: string };

export type Progress = { head: number; mined: (Mined | null)[] };
export type Mined = { isSuccess: boolean; blockNumber: number; blockHash: string; cost: bigint };
type MinedCount = { count: number; isMined: boolean[] };

/** Prepares, sends and tracks transactions of one chain. */
export type Transactor = {
  /** Fees, balance, nonce and estimates for calls of one account, read from one node at one moment. */
  prepare(from: string, calls: readonly CallRequest[]): Promise<Prepared>;
  /** In this order. */
  broadcast(raws: readonly string[]): Promise<Broadcast[]>;
  /** Which of these transactions are mined, and the head, as one node reports them. */
  progress(hashes: readonly string[]): Promise<Progress>;
  /** The price of gas now. */
  fees(): Promise<Fees>;
  /** How many transactions of the account were mined up to this block, and which of these were; seen by one node. */
  countMined(address: string, block: number, hashes: readonly string[]): Promise<MinedCount>;
  /** The reason why the call fails after this block; undefined when it does not. */
  findRevert(call: CallRequest & { from: string }, block: number): Promise<Revert | undefined>;
};

type CallRequest = { to: string; data: string };

export type Prepared = {
  fees: Fees;
  balance: bigint;
  /** The next nonce of the account, counting transactions in the pool. */
  nextNonce: number;
  /** Gas that each call needs, or the revert it would end with. */
  estimates: ({ gas: bigint } | { reverted: Revert })[];
};

/** The node's reason, and the data that the contract reverted with. */
export type Revert = { reason: string; data: string };

export type Fees = {
  /** Of the next block; null on chains that know a gas price only. */
  baseFee: bigint | null;
  gasPrice: bigint;
  /** Tips that the last blocks took, from the lower quarter to the top. */
  tips: { slow: bigint; market: bigint; fast: bigint; fastest: bigint };
};

/**
 * `accepted`, also when it was in the pool before. `stale`: the nonce is used already, by this transaction or by another.
 * `underpriced`: it pays too little to replace the one that is there. `refused`: the reason says whether a retry can help.
 */
export type Broadcast =
  | { outcome: 'accepted' | 'stale' | 'underpriced' }
  | { outcome: 'refused'; reason: string };

export type Progress = { head: number; mined: (Mined | null)[] };
export type Mined = { isSuccess: boolean; blockNumber: number; blockHash: string; cost: bigint };
type MinedCount = { count: number; isMined: boolean[] };

/** A block as every chain family presents it. Addresses and hashes have their one canonical spelling. */
export type Block = {
  readonly chainUid: string;
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly transactions: readonly Transaction[];
  readonly logs: readonly Log[];
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** Bytes. */
  readonly size: number;
  /** When it reached us, in epoch milliseconds. */
  readonly receivedAt: number;
};

export type Transaction = {
  readonly hash: string;
  readonly index: number;
  readonly from: string;
  /** Null when the transaction creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  /** Call data in hex, `0x` when there is none. */
  readonly input: string;
  readonly nonce: number;
  /** What the sender offers to block producers for a unit of gas. */
  readonly priorityFee: bigint;
  readonly logs: readonly Log[];
};

export type Log = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  /** Position among the logs of the block. */
  readonly index: number;
  readonly transactionHash: string;
  readonly transactionIndex: number;
};

export type Receipt = {
  readonly isSuccess: boolean;
  readonly gasUsed: bigint;
  readonly gasPrice: bigint;
  readonly contractAddress: string | null;
};

export type BlockRef = { readonly number: number; readonly hash: string };
export type Header = BlockRef & { readonly parentHash: string; readonly timestamp: number };

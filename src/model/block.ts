/** A block as every chain family presents it. Addresses and hashes have their one canonical spelling. */
export type Block = {
  readonly chainUid: string;
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly transactions: readonly Transaction[];
  /** Outcomes that the block itself tells, on chains where no one has to ask for receipts. */
  readonly receiptOf?: (transactionHash: string) => Receipt | undefined;
  readonly logs: readonly Log[];
  /** Contracts that report new code in this block. */
  readonly upgraded: readonly string[];
  /** How much of its capacity the block uses, and how much it has, in the chain's own unit of work. */
  readonly used: bigint;
  readonly limit: bigint;
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
  /** What the sender passes to the recipient, as the chain encodes it. */
  readonly input: string;
  /** Which function of the recipient it calls, as interests name it. */
  readonly callKey: string;
  readonly nonce: number;
  /** What the sender offers to block producers for a unit of work. */
  readonly priorityFee: bigint;
  readonly logs: readonly Log[];
  /** Coins of the chain that it moves itself; what contracts move in inner calls is not among them. */
  readonly transfers: readonly Transfer[];
  /** All who spend and all who receive, on chains where these can be many; `from` and `to` are the largest of them. */
  readonly parties?: Parties;
  /** Money that it moves. A token can report any sender, so payments of a source count only where the source takes part. */
  payments(isSource: (address: string) => boolean): Iterable<Payment>;
};

/** Null on one side: coins that come into being, or that no address can spend. */
export type Transfer = { readonly from: string | null; readonly to: string | null; readonly amount: bigint };

export type Parties = { readonly senders: ReadonlySet<string>; readonly recipients: ReadonlySet<string> };

export type Payment = {
  readonly from: string;
  readonly to: string;
  /** The payer itself sends the transaction, and it is a payment and nothing else. */
  readonly isDirect: boolean;
};

export type Log = {
  /** Who emitted it. */
  readonly address: string;
  /** Which event it is, as interests name it; empty for one without a name. */
  readonly key: string;
  /** Values that the chain indexes, and all others, as the chain encodes them. */
  readonly indexed: readonly string[];
  readonly data: string;
  /** Addresses among the indexed values, and the ends of a transfer that indexes none. */
  readonly parties: readonly string[];
  /** Position among the logs of the block. */
  readonly index: number;
  readonly transactionHash: string;
  readonly transactionIndex: number;
};

export type Receipt = {
  readonly isSuccess: boolean;
  /** Units of work, and the price of one. */
  readonly used: bigint;
  readonly price: bigint;
  /** The contract that the transaction created. */
  readonly contractAddress: string | null;
};

/** A call that a contract makes within a transaction, as a node traces it; the type in its own words, such as DELEGATECALL. */
export type InnerCall = { readonly type: string; readonly from: string; readonly to: string };

export type BlockRef = { readonly number: number; readonly hash: string };
export type Header = BlockRef & { readonly parentHash: string; readonly timestamp: number };

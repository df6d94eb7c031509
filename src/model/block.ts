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
  /** Balances before and after the block, as far as it tells them itself. */
  readonly holdingOf?: (asset: string, holder: string, at: 'block' | 'parent') => bigint | undefined;
  /** The transaction of the block that spends an output, on chains where coins are outputs. */
  readonly spenderOf?: (input: string) => Transaction | undefined;
  readonly logs: readonly Log[];
  /** Contracts that report new code in this block. */
  readonly upgraded: readonly string[];
  /** Used and available capacity of the block, in the chain's own unit of work. */
  readonly used: bigint;
  readonly limit: bigint;
  /** Bytes. */
  readonly size: number;
  /** Time of arrival here, in epoch milliseconds. */
  readonly receivedAt: number;
};

export type Transaction = {
  readonly hash: string;
  /** Its place in `transactions`. */
  readonly index: number;
  /** Tells the calls of one transaction apart, on chains where a transaction makes several: each is an entry of its own. */
  readonly part?: string | undefined;
  readonly from: string;
  /** Null when the transaction creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  /** Input that the sender passes to the recipient, as the chain encodes it. */
  readonly input: string;
  /** The called function of the recipient, as interests name it. */
  readonly callKey: string;
  readonly nonce: number;
  /** Offer of the sender to block producers for a unit of work. */
  readonly priorityFee: bigint;
  /** Cost of the transaction in all, in the chain's currency, where the block says so. */
  readonly fee?: bigint;
  /** Units of work that it may take at most, where the block says so. */
  readonly gas?: bigint;
  /** Highest price for a unit of work, where the chain has such a price. */
  readonly maxFee?: bigint;
  /** Members of its family alone, for expressions. */
  ownMembers?(): Readonly<Record<string, unknown>>;
  readonly logs: readonly Log[];
  /** Addresses that the code of the contract names which it creates. */
  mentions?(): readonly string[];
  /**
   * Transfers of the transaction. On EVM-like chains only the coins that it carries itself: tokens are in its logs, and
   * coins of inner calls are in neither.
   */
  readonly transfers: readonly Transfer[];
  /** All who spend and all who receive, on chains where these can be many; `from` and `to` are the largest of them. */
  readonly parties?: Parties;
  /** The outputs that it spends, on chains where coins are outputs. */
  readonly inputs?: readonly string[];
  /**
   * Calls of the transaction, on chains where it can have several; elsewhere `to`, `callKey` and `input` are the one
   * call.
   */
  readonly calls?: readonly TransactionCall[];
  /** Changes of control by the transaction, as far as the chain itself says so. */
  readonly changes?: readonly Change[];
  /** Others that it involves: who pays its fee, and both ends of coins that contracts move in it. */
  readonly others?: Iterable<string>;
  /** The contract that it creates, as far as that follows from the transaction itself; otherwise the receipt says it. */
  readonly created?: string | undefined;
  /** Money that it moves. A token can report any sender, so payments of a source count only where the source takes part. */
  payments(isSource: (address: string) => boolean): Iterable<Payment>;
};

export type Transfer = {
  /** `native`, or the canonical address (or id) of a token. */
  readonly asset: string;
  /** Null on one side: it comes into being, or no address can spend it. */
  readonly from: string | null;
  readonly to: string | null;
  readonly amount: bigint;
};

export type Parties = {
  readonly senders: ReadonlySet<string>;
  readonly recipients: ReadonlySet<string>;
  /** All others that it involves: programs, tokens, accounts. */
  readonly others?: ReadonlySet<string>;
};

/** A call of a contract, by the transaction itself or by another contract within it. */
export type TransactionCall = {
  readonly contract: string;
  /** The called function, as interests name it. */
  readonly key: string;
  /** Passed input, as the chain encodes it, and the passed accounts where those are separate. */
  readonly input: string;
  readonly accounts?: readonly string[];
  /** Only the head of what is passed is known. */
  readonly isCut?: boolean;
  /** Position among the calls of the transaction. */
  readonly position: number;
  /** Caller, native coins and depth within the transaction, where nodes trace them. */
  readonly caller?: string;
  readonly value?: bigint;
  readonly depth?: number;
};

/** A change of control. Null: there was no one before, or there is no one any more; before is undefined where unknown. */
export type Change = {
  readonly subject: string;
  /**
   * owner, mint, freeze: who may act, mint or freeze. code: which code runs. signers, permission: who may sign, and how.
   * flags: what an issuer may do. frozen: `true` or `false`.
   */
  readonly what: 'owner' | 'code' | 'mint' | 'freeze' | 'signers' | 'permission' | 'flags' | 'frozen';
  /** Part of the subject that changes, if not all of it: an account of a holder, the name of a permission. */
  readonly part?: string;
  readonly before?: string | null;
  readonly after: string | null;
  /** Position among the changes of the transaction. */
  readonly position: number;
};

export type Payment = {
  readonly from: string;
  readonly to: string;
  /** The payer itself sends the transaction, and it is a payment and nothing else. */
  readonly isDirect: boolean;
};

export type Log = {
  /** Address that emitted it. */
  readonly address: string;
  /** Kind of the event, as interests name it; empty for one without a name. */
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
  /** Reason of its failure, where the block says so. */
  readonly failure?: string;
  /** The contract that the transaction created. */
  readonly contractAddress: string | null;
};

/** A call that a contract makes within a transaction, as a node traces it; the type in its own words, such as DELEGATECALL. */
export type InnerCall = { readonly type: string; readonly from: string; readonly to: string };

/** One call within a transaction, as nodes trace it. The frames of a transaction stand in the order in which they began. */
export type Frame = {
  readonly type: FrameType;
  /** 0 for what the transaction itself calls. */
  readonly depth: number;
  /** Position of the frame that made the call, -1 at depth 0. */
  readonly parent: number;
  /** Address whose storage and coins the caller acts on. */
  readonly from: string;
  /**
   * Address whose code runs; the new contract of a creation, or the beneficiary of a self-destruct. Empty when nothing
   * was created.
   */
  readonly to: string;
  readonly value: bigint;
  /** Passed input, or the code that creates a contract, as the chain encodes it. */
  readonly input: string;
  /** Number of characters of the whole input, where only its head is kept. */
  readonly inputLength?: number;
  /** Addresses that the code of the contract names which it creates. */
  mentions?(): readonly string[];
  /** True if it, or a frame that contains it, failed: nothing of what it did remains. */
  readonly isReverted: boolean;
  /** Reason of its own failure, in the words of the node, and the data returned then, as the chain encodes it. */
  readonly error?: string;
  readonly output?: string;
  /** Returned data, if it asked for a price. */
  readonly answer?: string;
};

export const frameTypes = [
  'CALL',
  'STATICCALL',
  'DELEGATECALL',
  'CALLCODE',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
] as const;
type FrameType = (typeof frameTypes)[number];

/** The frames of each transaction of a block, in its order; undefined where they could not be had. */
export type BlockFrames = readonly (readonly Frame[] | undefined)[];

export type BlockRef = { readonly number: number; readonly hash: string };
export type Header = BlockRef & { readonly parentHash: string; readonly timestamp: number };

/**
 * Prices, builds, sends and tracks the transactions of one chain.
 *
 * How a family implements it. Firing calls `prepare` (everything read from one node), stores nothing, then, inside the
 * database transaction that holds the wallet, `build` (no request: what it needs comes with the order), has the payloads
 * signed, stores the bytes, and only then calls `broadcast`. The stored bytes are broadcast again and again until `progress`
 * finds one attempt in a block that is deep enough. Whatever fails by throwing is tried again later.
 *
 * Exactly once rests on `replaces`:
 * - `samePlace`: every attempt of a call takes the same place (a nonce, a sequence number, inputs), so the chain takes one of
 *   them at most. A stuck call is replaced at once by one that pays more (`reprice`), a call that is given up by one that does
 *   nothing (`emptyCall`). Places are nonces where `lane` is given: Vigil counts them and fills gaps. Without a lane, offers
 *   bring their places (inputs), and Vigil signs no offer that shares an input with a call under way.
 * - `afterExpiry`: a transaction names the block or time until which it is valid (`validUntil`) and takes no place. A second
 *   one is signed only when `Progress.final` lies beyond the `validUntil` of all before, by the word of every node that answers
 *   (`findExpired`), so that two are never valid at once.
 *   The intent then waits as if it had never been signed: filter, halt, caps, price and simulation apply again.
 */
export type Transactor = SamePlaceTransactor | ExpiringTransactor;
export type SamePlaceTransactor = CommonTransactor & SamePlace;
export type ExpiringTransactor = CommonTransactor & AfterExpiry;

type CommonTransactor = {
  /**
   * What calls of one account would take now: each is simulated and priced. `inputs` are those of its calls under way.
   * Offers of one answer are made one after the other, so they must not take the same inputs.
   */
  prepare(from: string, requests: readonly CallRequest[], inputs: readonly string[]): Promise<Prepared>;
  /** The transaction that makes a call; asks no node, because the wallet is locked meanwhile. */
  build(order: Order): Unsigned;
  /** In this order, to all endpoints. `comesFirst`: also to private relays, where the family has them. */
  broadcast(raws: readonly string[], comesFirst?: boolean): Promise<Broadcast[]>;
  /** Which of these transactions are in blocks, and the head, as one node reports them at one moment. */
  progress(sent: readonly SentTransaction[]): Promise<Progress>;
  /** Why no call would be made on these terms at present, whatever it calls; undefined when some would. */
  checkTerms(terms: Terms): Promise<string | undefined>;
  /** The reason why a call failed in this block; undefined where the chain does not say. */
  findFailure(from: string, call: ChainCall, block: number): Promise<Failure | undefined>;
};

type SamePlace = {
  readonly replaces: 'samePlace';
  /** Only takes the place of a call that is given up; its cost is that of the fee. */
  emptyCall(from: string): ChainCall & { units: bigint };
  /**
   * What it takes to replace the last attempt, which is in no block yet; the place stays. `isEmpty`: by the empty call.
   * Undefined: nothing would be gained by it now.
   */
  reprice(stuck: StuckCall): Promise<Offer | Refusal | undefined>;
  /**
   * What became of the place of a call of which no attempt is in a block, as far as blocks up to `block` are concerned:
   * `lost` when another transaction has taken it, `blocked` when an earlier place of the lane is still free, `taken` when an
   * attempt turns out to be in a block after all.
   */
  findPlace(
    from: string,
    place: Place,
    block: number,
    sent: readonly SentTransaction[],
  ): Promise<'free' | 'taken' | 'lost' | 'blocked'>;
  /** Undefined where places are not nonces. */
  readonly lane?: {
    /** What an empty call would take that fills a gap in the lane, and which nonce is the first that the node misses. */
    prepareFiller(from: string, maxPrice: string | null): Promise<Filler>;
  };
};

type AfterExpiry = {
  readonly replaces: 'afterExpiry';
  readonly lane?: undefined;
  /**
   * Which of these are in no block and never will be. Every node that answers is asked: one that has the transaction, or is not
   * as far, is believed before all others, because a single wrong answer would let a call be made twice (`createExpiryCheck`).
   */
  findExpired(sent: readonly SentTransaction[]): Promise<Expiry[]>;
};
/** In a block after all, with the head of the node that has it. */
export type Expiry = 'expired' | 'open' | { mined: Mined; head: number };

/** What `encode` of the family made of a function and its values; `data` is for the family alone to read. */
export type ChainCall = { to: string; data: string };
/** What the action and its wallet say about fees, as people write it; null: as is usual. */
export type Terms = {
  /** `slow`, `market`, `fast`, `fastest` or a price per unit, in the unit that the family states. */
  price: string;
  /** Most units (gas, energy, compute units) that the call may use. */
  limit: number | null;
  tip: string | null;
  /** Most that a unit may cost. */
  maxPrice: string | null;
};
/** `ahead`: what a pending transaction pays before which the call must be mined. */
type CallRequest = ChainCall & { terms: Terms; ahead?: Price | undefined };

/** Most that a unit may cost, and the tip within it (null where the chain has none), in the smallest unit of prices. */
export type Price = { maxFee: bigint; tip: bigint | null };

/**
 * Where a transaction stands: a nonce of the account's lane, the inputs that it spends (texts that the family can read again,
 * equal for equal inputs), or the recent block and the expiry that it names, which only `build` reads.
 */
export type Place = { nonce: number } | { inputs: readonly string[] } | { anchor: string };

export type Offer = {
  units: bigint;
  price: Price;
  /** The most that the call takes from the account in the chain's currency: fees, and what it pays to others. */
  cost: bigint;
  /** Missing where Vigil assigns the next nonce of the lane. */
  place?: Exclude<Place, { nonce: number }>;
};

/** Why a call is not made: for good, or until fees fall or, with `needsFunds`, until the account has more. */
export type Refusal =
  | { reason: string; isFinal: boolean; needsFunds?: boolean; units?: bigint }
  /** It was simulated, and fails. */
  | { failure: Failure };

/** The node's reason, and the data that the program failed with, which `explain` of the family may understand. */
export type Failure = { reason: string; data: string };

export type Prepared = {
  balance: bigint;
  /** What calls may still take where the family knows it; else what the balance leaves after the calls under way. */
  spendable?: bigint;
  /** The next nonce of the account, counting transactions that wait for a block; only with a lane. */
  nextNonce?: number;
  offers: (Offer | Refusal)[];
};

type Filler = { nextNonce: number; balance: bigint; offer: Offer | Refusal };

export type StuckCall = {
  from: string;
  /** The call itself, also when the empty one replaces it. */
  call: ChainCall;
  terms: Terms;
  place: Place;
  /** Of the last attempt. */
  units: bigint;
  price: Price;
  raw: string;
  isEmpty: boolean;
  /** The last attempt made the call, and this one gives it up. */
  givesUp: boolean;
  /** What a pending transaction pays before which it must be mined. */
  ahead?: Price | undefined;
};

export type Order = {
  from: string;
  call: ChainCall;
  units: bigint;
  price: Price;
  place: Place;
  /**
   * Another one for every attempt of every call. Equal calls must not become equal transactions, or one hash would stand for
   * two of them: what has no place of its own makes itself unique by it.
   */
  unique: bigint;
};

/**
 * A transaction without its signatures. A payload is the 32-byte hash of ECDSA on secp256k1, or the message of Ed25519;
 * `finish` gets a signature for each, in their order.
 */
export type Unsigned = {
  payloads: readonly Uint8Array[];
  finish(signatures: readonly Signature[]): Signed;
};

export type Signature = {
  /** 64 bytes: r and s, the latter in the lower half, or the signature of Ed25519. */
  bytes: Uint8Array;
  /** Which of the two possible points r stands for; 0 with Ed25519. */
  yParity: 0 | 1;
  /** Uncompressed (65 bytes), or the 32 bytes of Ed25519. */
  publicKey: Uint8Array;
};

export type Signed = {
  hash: string;
  raw: string;
  /** The last block or time at which it may be taken into a block, on the scale of `Progress.final`; null with a place. */
  validUntil: number | null;
};

export type SentTransaction = {
  from: string;
  hash: string;
  raw: string;
  place: Place;
  signedAt: number;
  validUntil: number | null;
};

/**
 * `accepted`, also when it was in the pool before. `stale`: its place is used already, by this transaction or by another, or
 * it has expired. `underpriced`: it pays too little to replace the one that is there. `refused`: the reason says whether a
 * retry can help.
 */
export type Broadcast =
  | { outcome: 'accepted' | 'stale' | 'underpriced' }
  | { outcome: 'refused'; reason: string };

export type Progress = {
  head: number;
  /** In the order of the question. */
  mined: (Mined | null)[];
  /**
   * With `afterExpiry`: the newest block (or its time) that cannot be taken back. It must be read before the transactions,
   * from the same node, and that node must find any transaction of a block up to there: a transaction that is older than what
   * the node keeps must make `progress` throw and not look as if it were in no block.
   */
  final?: number;
};
export type Mined = { isSuccess: boolean; blockNumber: number; blockHash: string; cost: bigint };

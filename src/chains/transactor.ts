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
   * Simulates and prices calls of one account. `inputs` are those of its calls under way. Offers of one answer are used
   * one after the other, so they must not share inputs.
   */
  prepare(from: string, requests: readonly CallRequest[], inputs: readonly string[]): Promise<Prepared>;
  /** The transaction that makes a call; asks no node, because the wallet is locked meanwhile. */
  build(order: Order): Unsigned;
  /** In this order, to all endpoints. `comesFirst`: also to private relays, where the family has them. */
  broadcast(raws: readonly string[], comesFirst?: boolean): Promise<Broadcast[]>;
  /** The transactions that are in blocks, and the head, as one node reports them at one moment. */
  progress(sent: readonly SentTransaction[]): Promise<Progress>;
  /** The reason why no call at all would be made on these terms now; undefined if some would. */
  checkTerms(terms: Terms): Promise<string | undefined>;
  /** The reason why a call failed in this block; undefined where the chain does not say. */
  findFailure(from: string, call: ChainCall, block: number): Promise<Failure | undefined>;
};

type SamePlace = {
  readonly replaces: 'samePlace';
  /** Only takes the place of a call that is given up; its cost is that of the fee. */
  emptyCall(from: string): ChainCall & { units: bigint };
  /**
   * Replaces the last attempt, which is in no block yet, with the same place. `isEmpty`: by the empty call. Undefined:
   * a replacement would not help now.
   */
  reprice(stuck: StuckCall): Promise<Offer | Refusal | undefined>;
  /**
   * Fate of the place of a call without an attempt in blocks up to `block`. `lost`: used by another transaction.
   * `blocked`: an earlier place of the lane is free. `taken`: an attempt is in a block.
   */
  findPlace(
    from: string,
    slot: Place,
    block: number,
    sent: readonly SentTransaction[],
  ): Promise<'free' | 'taken' | 'lost' | 'blocked'>;
  /** Undefined where places are not nonces. */
  readonly lane?: {
    /** An empty call that fills a gap in the lane, and the first nonce that the node misses. */
    prepareFiller(from: string, maxPrice: string | null): Promise<Filler>;
  };
};

type AfterExpiry = {
  readonly replaces: 'afterExpiry';
  readonly lane?: undefined;
  /**
   * Transactions that will never be in a block. One node that has the transaction or lags behind outweighs all others: a
   * wrong answer could make a call twice (`createExpiryCheck`).
   */
  findExpired(sent: readonly SentTransaction[]): Promise<Expiry[]>;
};
/** In a block after all, with the head of the node that has it. */
export type Expiry = 'expired' | 'open' | { mined: Mined; head: number };

/** An encoded function with its values; only the family reads `data`. */
export type ChainCall = { to: string; data: string };
/** Fee settings of the action and its wallet, as people write them; null: the default. */
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
 * Place of a transaction: a nonce of the account's lane, the inputs that it spends (equal texts for equal inputs), or
 * the recent block and expiry that it names, which only `build` reads.
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

/** Reason not to make a call: final, until fees fall, or with `needsFunds` until the account has more. */
export type Refusal =
  | { reason: string; isFinal: boolean; needsFunds?: boolean; units?: bigint }
  /** It was simulated, and fails. */
  | { failure: Failure };

/** The node's reason, and the data that the program failed with, which `explain` of the family may understand. */
export type Failure = { reason: string; data: string };

export type Prepared = {
  balance: bigint;
  /** Amount that calls may still spend, if the family knows it; else the balance less the calls under way. */
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
  /** Price of a pending transaction before which it must be mined. */
  ahead?: Price | undefined;
};

export type Order = {
  from: string;
  call: ChainCall;
  units: bigint;
  price: Price;
  place: Place;
  /**
   * Different for every attempt, because equal calls must not become transactions of one hash. Transactions without a
   * place use it to be unique.
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
  /** Selects one of the two possible points for r; 0 with Ed25519. */
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
 * `accepted`: also if already in the pool. `stale`: its place is used, or it has expired. `underpriced`: too low to
 * replace the pending one. `refused`: the reason says if a retry can help.
 */
export type Broadcast =
  | { outcome: 'accepted' | 'stale' | 'underpriced' }
  | { outcome: 'refused'; reason: string };

export type Progress = {
  head: number;
  /** In the order of the question. */
  mined: (Mined | null)[];
  /**
   * With `afterExpiry`: the newest irrevocable block (or its time), read before the transactions from the same node,
   * which must have all blocks up to there. If the node has pruned them, `progress` must throw.
   */
  final?: number;
};
export type Mined = { isSuccess: boolean; blockNumber: number; blockHash: string; cost: bigint };

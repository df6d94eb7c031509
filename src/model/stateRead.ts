import type { InnerCall, Receipt } from './block.ts';
import type { CallResult } from './detection.ts';

/** Null where the node does not trace. */
export type Trace = { calls: readonly InnerCall[] | null };

/** A read of the state after a block. */
export type StateRead =
  | { type: 'call'; to: string; data: string }
  | { type: 'balance'; address: string }
  | { type: 'code'; address: string }
  | { type: 'holding'; asset: string; holder: string }
  | { type: 'supply' | 'decimals' | 'symbol'; asset: string }
  | { type: 'storage'; address: string; key: string }
  | { type: 'receipt'; hash: string }
  /** The calls within a transaction. */
  | { type: 'trace'; hash: string }
  /** Effect of a transaction on that state. */
  | { type: 'replay'; from: string; to: string; data: string; value: string };

/** A question for waiting transactions: those of an address, and those that spend one of the inputs. */
export type WaitingQuery = { readonly address: string; readonly inputs: readonly string[] };

/**
 * `missing`: why no node answers, such as that it does not have the state of an old block; `isGone`: every node says that it
 * has dropped that state, so that asking again does not help.
 */
export type StateResult =
  | { value: string | number | bigint | Receipt | CallResult | Trace }
  | { missing: string; isGone?: boolean };

import type { Receipt } from './block.ts';
import type { CallResult } from './detection.ts';

/** A read of the state after a block. */
export type StateRead =
  | { type: 'call'; to: string; data: string }
  | { type: 'balance'; address: string }
  | { type: 'code'; address: string }
  | { type: 'storage'; address: string; slot: string }
  | { type: 'receipt'; hash: string }
  /** What a transaction would do there. */
  | { type: 'replay'; from: string; to: string; data: string; value: string };

/** `missing`: the node does not have what the read needs, such as the state of an old block. */
export type StateResult = { value: string | bigint | Receipt | CallResult } | { missing: string };

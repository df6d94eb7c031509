import type { Strikes } from './strikes.ts';

/** What is wrong with a server; nothing by default. */
export type Faults = {
  /** Milliseconds before each answer, or a range from which the seed chooses. */
  latencyMs?: number | readonly [from: number, to: number];
  /** The share of calls that fail with an internal error. */
  errorRate?: number;
  /** Every connection is reset, open ones too. */
  dead?: boolean;
  /** Requests are taken and never answered; sockets get no new heads. */
  hang?: boolean;
  /** Sockets stay open and get no new heads; requests are answered. */
  silent?: boolean;
  wrongChainId?: number;
  /** It knows no block above this one. */
  stuckAt?: number;
  /** It knows no block younger than so many before the head. */
  behind?: number;
  /** eth_getLogs finds nothing, whatever the bloom says. */
  missingLogs?: boolean;
  /** eth_getLogs returns logs of another block, omits the last one, or adds one that does not exist. */
  lyingLogs?: 'otherBlock' | 'truncated' | 'invented';
  /** The share of requests answered with 429. */
  rateLimit?: number;
  /** 200 and no body. */
  emptyReply?: boolean;
  /** The answer is cut off in the middle. */
  badJson?: boolean;
  /** Its mempool is empty: what is not mined does not count, and is not found. */
  blindPool?: boolean;
  /** Strikes single requests, a batch when it strikes one of its calls. */
  strikes?: Strikes;
  /** Confines latency, errors, hanging, 429, empty and bad answers to requests with one of these methods. */
  methods?: readonly string[];
};

import type { Block, BlockRef, Header } from '../model/block.ts';
import type { StateRead, StateResult } from '../model/stateRead.ts';
import type { Transactor } from './transactor.ts';

/** What a family must offer so that its chains can be followed and asked. */
export type ChainClient = {
  readonly chainUid: string;
  /**
   * Null: the chain has no such block (yet). With a parent's hash a block that goes on from there is preferred when nodes
   * disagree; whether it does is for the caller to see.
   */
  block(number: number, parentHash?: string): Promise<Block | null>;
  header(which: number | 'latest' | 'finalized'): Promise<Header | null>;
  /** Answers to all questions about one block; one that cannot be answered there says why. Throws BlockGone when the block is. */
  readState(block: BlockRef, questions: readonly StateRead[]): Promise<StateResult[]>;
  /** The contract behind a proxy of any usual kind, as people write its address; null when the address is no proxy. */
  findImplementation(at: BlockRef, address: string): Promise<string | null>;
  /** The block that a transaction is in, null when it is unknown or still pending. */
  blockOfTransaction(hash: string): Promise<number | null>;
  readonly transactor: Transactor;
  /** Calls back with the number of every new head that is announced; a client that cannot be told by a node never does. */
  onHead(heard: (number: number) => void): () => void;
  /** The highest block that a node is known to have, -1 at first. */
  head(): number;
  /** Asks nodes how far they are, so that one that stands still is noticed, and one that was in trouble whether it is right again. */
  checkEndpoints(which: 'all' | 'troubled'): Promise<void>;
  health(): EndpointHealth[];
  close(): Promise<void>;
};

/** The block is not part of the chain any more, or no node has it any more, so nothing can be asked about it. */
export class BlockUnavailable extends Error {
  override readonly name = 'BlockGone';
}

export type EndpointHealth = {
  /** Without path and query, which often hold an access key. */
  endpoint: string;
  state: 'ok' | 'failing' | 'wrong-chain' | 'stale';
  head: number | null;
  latencyMs: number | null;
  /** Faults in a row. */
  faults: number;
  lastFault: string | null;
};

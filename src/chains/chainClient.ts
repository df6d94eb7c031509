import type { Block, BlockFrames, BlockRef, Frame, Header, Log, Transaction } from '../model/block.ts';
import type { Origin, OriginQuery } from '../model/origin.ts';
import type { Mempool } from '../model/pending.ts';
import type { StateRead, StateResult, WaitingQuery } from '../model/stateRead.ts';
import type { TraceMode } from '../model/traceState.ts';
import type { Chain } from './chains.ts';
import type { ChainCall, Transactor } from './transactor.ts';

/** The interface of a family for following and reading its chains. */
export type ChainClient = {
  readonly chainUid: string;
  /**
   * The block of this number, or the first after it on chains that skip numbers; null if there is none. Prefers a block that
   * continues `parentHash`, unchecked. `isAnnounced`: a node announced it.
   */
  block(number: number, parentHash?: string, isAnnounced?: boolean): Promise<Block | null>;
  /**
   * Adds the details of transactions that involve a watched address. Undefined where blocks come whole; elsewhere they
   * only list participants, because details are too much to fetch for all.
   */
  detail?(block: Block, watched: Watched): Promise<Block>;
  /** False where nodes know the newest state only, which then stands for that after any block. */
  readonly keepsHistory?: false;
  /** As `block`, without what is in it. */
  header(which: number | 'latest' | 'finalized'): Promise<Header | null>;
  /** Reads the state after one block; a result that no node has says why. Throws BlockUnavailable when no node has the block. */
  readState(block: BlockRef, questions: readonly StateRead[]): Promise<StateResult[]>;
  /** Transactions that wait for a block now, for each query; undefined where nodes do not show them. */
  findWaiting?(queries: readonly WaitingQuery[]): Promise<readonly (readonly Transaction[])[]>;
  /** The origin of a holding, as of the state after a block; throws where nodes do not show it. Absent where no client reads it. */
  findOrigin?(block: BlockRef, query: OriginQuery): Promise<Origin>;
  /** The contract behind a proxy of any usual kind, as people write its address; null when the address is no proxy. */
  findImplementation(at: BlockRef, address: string): Promise<string | null>;
  /**
   * Functions and events that a contract states, in the family's form of `abi`; undefined if it states none. Absent for
   * families whose contracts carry no interface.
   */
  findInterface?(address: string): Promise<readonly unknown[] | undefined>;
  /** The block that a transaction is in, null when it is unknown or still pending. */
  blockOfTransaction(hash: string): Promise<number | null>;
  /** Undefined on chains that Vigil cannot send transactions to yet. */
  readonly transactor: Transactor | undefined;
  /** Runs a call on a copy of the newest state; undefined where nodes do not show what a call changes. Nothing is sent. */
  rehearse?(call: ChainCall & { from: string; units: bigint | undefined }): Promise<Rehearsal>;
  /** Undefined on chains whose nodes trace no calls. */
  readonly tracer?: Tracer;
  /** True if it has none because traces are switched off. */
  readonly isTracingOff?: boolean;
  /** Undefined on chains whose pending transactions cannot be watched. */
  readonly mempool?: Mempool;
  /** Calls back with the number of every new head that is announced; a client without a WebSocket endpoint never does. */
  onHead(listener: (number: number) => void): HeadSubscription;
  /** The highest block that a node is known to have, -1 at first. */
  head(): number;
  /** Checks the head of every endpoint to detect stale ones, and whether unhealthy ones have recovered. */
  checkEndpoints(which: 'all' | 'troubled'): Promise<void>;
  health(): EndpointHealth[];
  close(): Promise<void>;
};

/** Changes by a call on top of a block; null where the node does not show them, or the call fails. */
export type Rehearsal = {
  readonly block: Pick<Header, 'number' | 'hash' | 'timestamp'>;
  readonly effects: { readonly frames: readonly Frame[]; readonly logs: readonly Log[] } | null;
  readonly storage: readonly StorageChange[] | null;
};

export type StorageChange = { address: string; slot: string; before: string; after: string };

/** The addresses that someone has an interest in; the version rises with every change of them. */
export type Watched = {
  has(address: string): boolean;
  addresses(): Iterable<string>;
  version(): number;
};

export type Tracer = {
  /**
   * The calls within each transaction of the block, undefined for one whose trace is too large by itself. Throws NotTraced.
   */
  frames(block: Block, options?: TraceOptions): Promise<BlockFrames>;
  /** The same of one of its transactions, which costs less. */
  transaction(block: Block, transaction: Transaction): Promise<readonly Frame[]>;
  /** By which calls endpoints trace; empty when none does, undefined while that is not known. */
  kinds(): readonly TraceKind[] | undefined;
};

/** Limits of reading traces. */
export type TraceLimits = {
  /** Of all traces of a block at once, and of one transaction. */
  blockBytes: number;
  transactionBytes: number;
  /** Limits of kept bytes and time for a block whose transactions are traced one by one. */
  keptBytes: number;
  ms: number;
};

export type TraceOptions = {
  /** Selects the transactions that come first where they are traced one by one. */
  isFirst?: (transaction: Transaction) => boolean;
  /** Nodes did not give the traces for a while, so that one transaction may be why: the others are traced without it. */
  isHard?: boolean;
  /** The transactions whose traces are asked for, one by one; all of the block where it is left out. */
  only?: readonly Transaction[];
};

/** `debug_traceBlockByHash` with the call tracer, or `trace_block`. */
export const traceKinds = ['debug', 'trace'] as const;
export type TraceKind = (typeof traceKinds)[number];

export type ConnectedClient = ChainClient & {
  /** Uses these endpoints from now on. */
  setUrls(urls: readonly string[]): void;
};

export type ClientOptions = {
  chain: Chain;
  urls: readonly string[];
  now: () => number;
  /** Counts every call by its method. */
  onCall: (method: string) => void;
  /** `off`: nodes are never asked for traces, and the client has no tracer. */
  traces?: TraceMode | undefined;
  /** Limits of traces, where they differ from the defaults. */
  traceLimits?: Partial<TraceLimits> | undefined;
  /** Private relays for calls that must be mined before a pending transaction. */
  relays?: readonly string[] | undefined;
};

export type HeadSubscription = {
  /** Says that the chain has this new block, so that a connection that does not announce it is replaced. */
  appeared(number: number): void;
  stop(): void;
};

/** The block is not part of the chain any more, or no node has it any more, so nothing can be asked about it. */
export class BlockUnavailable extends Error {
  override readonly name = 'BlockUnavailable';
}

/** No node keeps the block any more; `oldest` is the first that one of them keeps. */
export class BlocksGone extends Error {
  override readonly name = 'BlocksGone';
  readonly oldest: number;

  constructor(number: number, oldest: number) {
    super(`No node keeps block ${number} any more; the oldest that one keeps is ${oldest}.`);
    this.oldest = oldest;
  }
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
  lastFaultAt: number | null;
};

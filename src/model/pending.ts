import type { Block, Frame, Header } from './block.ts';
import type { StateRead, StateResult } from './stateRead.ts';

/**
 * `auto`: pending transactions are watched if a detector or an action wants them and an endpoint offers them. `off`:
 * never.
 */
export const pendingModes = ['auto', 'off'] as const;
export type PendingMode = (typeof pendingModes)[number];

/** `idle`: nothing wants them. `unavailable`: no endpoint announces them or runs them. */
export const pendingStates = ['off', 'idle', 'ok', 'unavailable'] as const;

/** Announcements of pending transactions by endpoints: whole, by hash, or as a list of all that wait. */
export const pendingKinds = ['bodies', 'hashes', 'pool'] as const;
export type PendingKind = (typeof pendingKinds)[number];

/** Simulations by endpoints: with inner calls and logs, with logs and coins, or only success. */
export const simulationKinds = ['trace', 'simulate', 'call'] as const;
export type SimulationKind = (typeof simulationKinds)[number];

/** Coverage of the pending transactions of a chain; counts are since the process follows the chain. */
export type PendingState = {
  mode: PendingMode;
  state: (typeof pendingStates)[number];
  kinds: PendingKind[];
  simulations: SimulationKind[];
  seen: number;
  simulated: number;
  /** Not looked at, because there were more than can be kept or simulated. */
  dropped: number;
  /** The time of the last of them; null if there was none. */
  droppedAt: number | null;
  /** Alerts whose transaction is in no block yet. */
  waiting: number;
  reason: string | null;
};

/** A transaction that no block has yet. */
export type PendingTransaction = {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: number;
  readonly input: string;
  /** Most that it pays for a unit of work, and the tip within it; null on chains without tips. */
  readonly maxFee: bigint;
  readonly tip: bigint | null;
  /** As the node sent it. */
  readonly raw: Readonly<Record<string, unknown>>;
};

/** Effects of a pending transaction on top of the newest block. */
export type Simulation = {
  readonly kind: SimulationKind;
  readonly isSuccess: boolean;
  /** One with this transaction alone, which does not exist. */
  readonly block: Block;
  /** As far as the node shows them: all calls, or those that move coins. */
  readonly frames: readonly Frame[];
};

/** The source of pending transactions and of their simulations. */
export type Mempool = {
  /** Calls back with every pending transaction that an endpoint announces, each once, and with how many were lost. */
  subscribe(onTransaction: (transaction: PendingTransaction) => void): MempoolSubscription;
  /** Runs it on the newest state; null when its nonce is used. Throws when no node with this block can. */
  simulate(transaction: PendingTransaction, tip: Header): Promise<Simulation | null>;
  /** Reads the state after it, as far as nodes can. */
  readAfter(
    transaction: PendingTransaction,
    simulation: Simulation,
    questions: readonly StateRead[],
  ): Promise<StateResult[]>;
  /** Those of the transactions that no endpoint has any more, neither waiting nor in a block. */
  findVanished(hashes: readonly string[]): Promise<string[]>;
  simulations(): readonly SimulationKind[] | undefined;
};

export type MempoolSubscription = {
  kinds(): readonly PendingKind[] | undefined;
  counts(): { seen: number; dropped: number };
  /** These vanished: they are shown again if they come back. */
  forget(hashes: readonly string[]): void;
  stop(): void;
};

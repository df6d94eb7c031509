import type { Chain } from '../chains/chains.ts';
import type { Transactor } from '../chains/transactor.ts';
import type { FairQueue } from '../lib/fairQueue.ts';
import type { Finding } from '../model/alert.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { Db, Store } from '../store/db.ts';
import type { Keyring } from '../store/keyring.ts';
import type { Hsm } from '../wallets/pkcs11/openHsm.ts';

/** What it takes to carry out actions on one chain. */
export type Acting = {
  chain: Chain;
  /** All names by which the chain goes: a wallet has one row of numbers on it, whatever it is called. */
  names: readonly string[];
  /** Blocks that must lie on top of a transaction's before it counts as done. */
  confirmations: number;
  transactor: Transactor;
  store: Store;
  keyring: Keyring;
  hsm: Hsm | undefined;
  run: Sandbox['run'];
  /** Claiming, signing and sending, by tenant. Deciding takes no turn: the sandbox shares its own time. */
  turns: FairQueue;
  alerts: {
    /** Outside of the transaction that raises them. */
    prepare(findings: readonly Finding[]): Promise<void>;
    raise(tx: Db, findings: readonly Finding[]): Promise<void>;
  };
  now: () => number;
  /** A transaction that is not mined after this time is replaced by one that pays more. */
  stuckMs: number;
  /** Told before and after each step that a crash could fall into. */
  reached: (point: string) => void | Promise<void>;
};

/** What it takes to end intents and to tell of it, on whatever chain. */
export type Telling = Pick<Acting, 'store' | 'alerts' | 'now' | 'reached'>;

/** What cannot be sent or is not mined within this time is given up. */
export const validMs = 8 * 3_600_000;

/** How soon to look again at something on this chain. */
export function paceMs({ chain }: Acting): number {
  return Math.min(5000, Math.max(500, chain.blockTimeMs));
}

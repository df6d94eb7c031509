import type { Chain } from '../chains/chains.ts';
import type { Transactor } from '../chains/transactor.ts';
import type { FairQueue } from '../lib/createFairQueue.ts';
import type { Finding, RaisedAlert } from '../model/alert.ts';
import type { Keyring } from '../model/keyring.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { Db, Store } from '../store/db/db.ts';
import type { Hsm } from '../wallets/pkcs11/openHsm.ts';

/** An intent that is not sent, or whose call is not mined, within this time is given up. */
const maxIntentAgeHours = 8;
export const maxIntentAgeMs = maxIntentAgeHours * 3_600_000;
export const maxIntentAge = `${maxIntentAgeHours} hours`;

/** Dependencies of executing actions on one chain. */
export type ActionContext = {
  chain: Chain;
  /** Every chainUid of this network, the first one names the nonce lane: a wallet has one sequence of nonces per network. */
  aliases: readonly string[];
  /** Blocks on top of a transaction's block before the transaction counts as confirmed. */
  confirmations: number;
  transactor: Transactor;
  store: Store;
  keyring: Keyring;
  hsm: Hsm | undefined;
  runScripts: Sandbox['run'];
  /** Shares claiming, signing and sending between tenants. Scripts run outside of it: the sandbox has its own fair share. */
  queue: FairQueue;
  /** The same for urgent intents, which never wait for the others. */
  urgentQueue: FairQueue;
  alerts: {
    /** Runs before the transaction that raises the findings. */
    prepare(findings: readonly Finding[]): Promise<void>;
    raise(tx: Db, findings: readonly Finding[]): Promise<readonly RaisedAlert[]>;
  };
  now: () => number;
  /** A transaction that is not mined after this time is replaced by one with a higher fee. */
  stuckMs: number;
  /** Called before and after each step that a crash could interrupt; tests stop the process there. */
  onStep: (step: string) => void | Promise<void>;
};

/** Dependencies of ending intents and raising their alerts, on any chain. */
export type OutcomeContext = Pick<ActionContext, 'store' | 'alerts' | 'now' | 'onStep'>;

/** Delay before the same intent on this chain is checked again. */
export function recheckDelayMs({ chain }: ActionContext): number {
  return Math.min(5000, Math.max(500, chain.blockTimeMs));
}

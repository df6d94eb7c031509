import type { Logger } from 'pino';
import type { Acting, Telling } from '../actions/acting.ts';
import { startActing } from '../actions/startActing.ts';
import { type AlertHook, prepareRaise, raiseAlerts } from '../alerts/raiseAlerts.ts';
import { type ChainUid, chains, chainUids } from '../chains/chains.ts';
import { createFairQueue, type FairQueue } from '../lib/fairQueue.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { ChainAccess } from '../services/contracts/chainAccess.ts';

type Options = Pick<Acting, 'store' | 'keyring' | 'hsm' | 'run' | 'now'> & {
  chains: ChainAccess;
  confirmations: (uid: ChainUid) => number;
  /** What comes into being along with the alerts of actions. */
  alertHooks: readonly AlertHook[];
  /** Hears that there may be something to do. */
  listen: (heard: () => void) => () => Promise<void>;
  log: Logger;
} & Partial<Pick<Acting, 'reached' | 'stuckMs'>>;

/** Tenants whose calls are signed and sent at once on one chain, each with a connection to the store. */
const turnsAtOnce = 4;

/** Fires actions on every chain that is configured. */
export function startActions(options: Options): { stop(): Promise<void> } {
  const { store, keyring, hsm, run, now, log, alertHooks, reached = () => {} } = options;
  const onError = throttlePerMinute(now, (error) =>
    log.error({ err: error }, 'Actions could not be carried out or their outcome not be written; trying on'),
  );
  const telling: Telling = {
    store,
    alerts: {
      prepare: (findings) => prepareRaise(store, findings),
      raise: async (tx, findings) => void (await raiseAlerts(tx, findings, alertHooks)),
    },
    now,
    reached,
  };

  const queues = new Map<ChainUid, FairQueue>();
  function turnsOn(uid: ChainUid): FairQueue {
    const turns = queues.get(uid) ?? createFairQueue({ slots: turnsAtOnce });
    queues.set(uid, turns);
    return turns;
  }

  function actingOn(uid: ChainUid): Acting | undefined {
    const transactor = options.chains.client(uid)?.transactor;
    if (!transactor) return undefined;
    const chain = chains[uid];
    const stuckMs = options.stuckMs ?? Math.max(20_000, 3 * chain.blockTimeMs);
    const confirmations = options.confirmations(uid);
    const names = chainUids.filter((other) => chains[other].chainId === chain.chainId);
    return {
      ...telling,
      chain,
      names,
      confirmations,
      transactor,
      keyring,
      hsm,
      run,
      turns: turnsOn(uid),
      stuckMs,
    };
  }

  return startActing({ telling, actingOn, listen: options.listen, onError });
}

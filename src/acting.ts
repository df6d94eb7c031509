import type { Logger } from 'pino';
import type { Acting } from './actions/acting.ts';
import { startActing } from './actions/startActing.ts';
import { type Follow, prepareRaise, raise } from './alerts/raise.ts';
import { type ChainUid, chains } from './chains/chains.ts';
import { rarely } from './lib/rarely.ts';
import type { ChainAccess } from './services/chainAccess.ts';

type Options = Pick<Acting, 'store' | 'keyring' | 'hsm' | 'run' | 'now'> & {
  chains: ChainAccess;
  confirmations: (uid: ChainUid) => number;
  /** What comes into being along with the alerts of actions. */
  follow: readonly Follow[];
  /** Hears that there may be something to do. */
  listen: (heard: () => void) => () => Promise<void>;
  log: Logger;
} & Partial<Pick<Acting, 'reached' | 'stuckMs'>>;

/** Fires actions on every chain that is configured. */
export function startActions(options: Options): { stop(): Promise<void> } {
  const { store, keyring, hsm, run, now, log, follow, reached = () => {} } = options;
  const onError = rarely(now, (error) =>
    log.error({ err: error }, 'Actions could not be carried out or their outcome not be written; trying on'),
  );
  const alerts: Acting['alerts'] = {
    prepare: (findings) => prepareRaise(store, findings),
    raise: async (tx, findings) => void (await raise(tx, findings, follow)),
  };

  function actingOn(uid: ChainUid): Acting | undefined {
    const transactor = options.chains.client(uid)?.transactor;
    if (!transactor) return undefined;
    const chain = chains[uid];
    const stuckMs = options.stuckMs ?? Math.max(20_000, 3 * chain.blockTimeMs);
    const confirmations = options.confirmations(uid);
    return { chain, confirmations, transactor, store, keyring, hsm, run, alerts, now, stuckMs, reached };
  }

  return startActing({ store, actingOn, listen: options.listen, onError });
}

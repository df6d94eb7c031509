import type { Logger } from 'pino';
import type { ActionContext, OutcomeContext } from '../actions/actionContext.ts';
import { startActing } from '../actions/startActing.ts';
import { type AlertHook, prepareRaise, raiseAlerts } from '../alerts/raiseAlerts.ts';
import { aliasesOf, type ChainUid, getChain } from '../chains/chains.ts';
import { createFairQueue } from '../lib/createFairQueue.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { ChainAccess } from '../services/contracts/chainAccess.ts';

type Options = Pick<ActionContext, 'store' | 'keyring' | 'hsm' | 'runScripts' | 'now'> & {
  chains: ChainAccess;
  confirmations: (uid: ChainUid) => number;
  /** Run for the alerts that actions raise. */
  alertHooks: readonly AlertHook[];
  /** Calls back when there may be something to do. */
  listen: (onNotify: () => void) => () => Promise<void>;
  log: Logger;
  /** Interval at which it reports that it goes through its queue. */
  passEveryMs?: number;
} & Partial<Pick<ActionContext, 'onStep' | 'stuckMs'>>;

/** Tenants whose calls are signed and sent at once on one chain, each with a connection to the store. */
const turnsAtOnce = 4;

/** Fires actions on every chain that is configured. */
export function startActions(options: Options): Stoppable {
  const { store, keyring, hsm, runScripts, now, log, alertHooks, onStep = () => {} } = options;
  const onError = throttlePerMinute(now, (error) =>
    log.error({ err: error }, 'Carrying out actions or writing their outcome failed; retrying'),
  );
  const outcomeContext: OutcomeContext = {
    store,
    alerts: {
      prepare: (findings) => prepareRaise(store, findings),
      raise: (tx, findings) => raiseAlerts(tx, findings, alertHooks),
    },
    now,
    onStep,
  };

  const queues = new Map<ChainUid, Pick<ActionContext, 'queue' | 'urgentQueue'>>();
  function queuesOn(uid: ChainUid): Pick<ActionContext, 'queue' | 'urgentQueue'> {
    const cached = queues.get(uid) ?? {
      queue: createFairQueue({ slots: turnsAtOnce }),
      urgentQueue: createFairQueue({ slots: turnsAtOnce }),
    };
    queues.set(uid, cached);
    return cached;
  }

  function contextFor(uid: ChainUid): ActionContext | undefined {
    const transactor = options.chains.client(uid)?.transactor;
    if (!transactor) return undefined;
    const chain = getChain(uid);
    const stuckMs = options.stuckMs ?? Math.max(20_000, 3 * chain.blockTimeMs);
    const confirmations = options.confirmations(uid);
    return {
      ...outcomeContext,
      chain,
      aliases: aliasesOf(chain),
      confirmations,
      transactor,
      keyring,
      hsm,
      runScripts,
      ...queuesOn(uid),
      stuckMs,
    };
  }

  const { listen, passEveryMs } = options;
  return startActing({ outcomeContext, contextFor, listen, onError, passEveryMs });
}

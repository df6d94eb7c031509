import { type ChainUid, findChain } from '../chains/chains.ts';
import { createCoalescedLoop } from '../lib/createCoalescedLoop.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { createThrottle } from '../lib/createThrottle.ts';
import { startPoller } from '../lib/startPoller.ts';
import { type FiringLane, findBusyChains, hasOpenIntents } from '../store/actions/claimIntents.ts';
import { pollDue } from '../store/db/pollDue.ts';
import { defaultPassEveryMs, notePass } from '../store/telemetry/vitals.ts';
import type { ActionContext, OutcomeContext } from './actionContext.ts';
import { fireWaiting } from './fireWaiting.ts';
import { endUnfireable } from './terminalReason.ts';
import { trackSent } from './trackSent.ts';

type Options = {
  outcomeContext: OutcomeContext;
  /** Undefined where the chain has no endpoint. */
  contextFor: (uid: ChainUid) => ActionContext | undefined;
  /** Subscribes to notifications of new intents. */
  listen: (onNotify: () => void) => () => Promise<void>;
  onError: (error: unknown) => void;
  /** Interval at which it reports that it goes through its queue. */
  passEveryMs?: number | undefined;
};

/** Between two looks at chains on which calls are under way. */
const busyMs = 500;

/** Executes waiting intents and tracks their transactions, until it is stopped. Any number of processes may run it side by side. */
export function startActing(options: Options): Stoppable {
  const { outcomeContext, contextFor, listen, onError, passEveryMs = defaultPassEveryMs } = options;
  const { store, now } = outcomeContext;
  const throttlePass = createThrottle(passEveryMs);
  const stopping = new AbortController();
  /** One loop for tracking each chain, and one for firing of each lane on it: a slow one delays no other. */
  const loops = new Map<string, ReturnType<typeof createCoalescedLoop>>();

  let again: NodeJS.Timeout | undefined;

  function wakeAgain(): void {
    again = undefined;
    poller.wake();
  }

  async function poll(): Promise<void> {
    const busy = await findBusyChains(store);
    if (busy.length > 0 && !stopping.signal.aborted) again ??= setTimeout(wakeAgain, busyMs);
    for (const { chainUid: uid, lanes } of busy) {
      const chain = findChain(uid);
      // A chain that was just added is known here in a moment.
      if (!chain) continue;
      // The context of the moment: the chain's endpoints, and facts of an operator's own chain, change.
      const fire = async (lane: FiringLane) => {
        const context = contextFor(chain.uid);
        return context ? fireWaiting(context, lane) : endUnfireable(outcomeContext, uid, lane);
      };
      const track = async () => {
        const context = contextFor(chain.uid);
        return context ? trackSent(context) : 0;
      };
      for (const lane of lanes)
        loopFor(`fire ${uid} ${Object.values(lane).join(' ')}`, () => fire(lane)).wake();
      loopFor(`track ${uid}`, track).wake();
    }
    await throttlePass(() => notePass(store, 'intents', now()));
  }

  function loopFor(name: string, step: () => Promise<number>) {
    const loop = loops.get(name) ?? createCoalescedLoop(() => drain(step), onError);
    loops.set(name, loop);
    return loop;
  }

  async function drain(step: () => Promise<number>): Promise<void> {
    while (!stopping.signal.aborted && (await step()) > 0);
  }

  const poller = startPoller(poll, {
    // Also while nothing waits, to show that it goes through its queue.
    everyMs: passEveryMs,
    whenDue: (wake) => pollDue(store, () => hasOpenIntents, wake),
    listen,
    onError,
  });
  poller.wake();
  return {
    /** Finishes the steps under way; everything else waits in the store. */
    async stop() {
      stopping.abort();
      clearTimeout(again);
      await poller.stop();
      await Promise.all(Array.from(loops.values(), (loop) => loop.stop()));
    },
  };
}

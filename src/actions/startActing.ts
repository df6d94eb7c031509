import type { ChainUid } from '../chains/chains.ts';
import { createCoalescedLoop } from '../lib/createCoalescedLoop.ts';
import { findBusyChains } from '../store/actions/claimIntents.ts';
import type { Acting, Telling } from './acting.ts';
import { endOverdue } from './endOverdue.ts';
import { fireWaiting } from './fireWaiting.ts';
import { trackSent } from './trackSent.ts';

type Options = {
  telling: Telling;
  /** What it takes to act on a chain; undefined where none of its nodes is configured. */
  actingOn: (uid: ChainUid) => Acting | undefined;
  /** Hears that there may be something to do. */
  listen: (heard: () => void) => () => Promise<void>;
  onError: (error: unknown) => void;
};

const pollMs = 500;

/** Carries out what alerts and people ask for, from this moment on. Any number of processes may do so side by side. */
export function startActing({ telling, actingOn, listen, onError }: Options): { stop(): Promise<void> } {
  const stopping = new AbortController();
  /** Tracking on each chain, and firing for each tenant there: one that hangs delays no one else. */
  const lookouts = new Map<string, ReturnType<typeof createCoalescedLoop>>();
  const { wake, stop: stopLooking } = createCoalescedLoop(async () => {
    for (const { chainUid: uid, tenantIds } of await findBusyChains(telling.store)) {
      const acting = actingOn(uid as ChainUid);
      for (const tenantId of tenantIds)
        lookoutFor(`${acting ? 'fire' : 'end'} ${uid} ${tenantId}`, () =>
          acting ? fireWaiting(acting, tenantId) : endOverdue(telling, uid, tenantId),
        ).wake();
      if (acting) lookoutFor(`track ${uid}`, () => trackSent(acting)).wake();
    }
  }, onError);

  function lookoutFor(name: string, step: () => Promise<number>) {
    const known = lookouts.get(name) ?? createCoalescedLoop(() => drain(step), onError);
    lookouts.set(name, known);
    return known;
  }

  /** As long as there is something. */
  async function drain(step: () => Promise<number>): Promise<void> {
    while (!stopping.signal.aborted && (await step()) > 0);
  }

  const unlisten = listen(wake);
  const timer = setInterval(wake, pollMs);
  wake();
  return {
    /** What is under way is finished; whatever is left waits in the store. */
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await stopLooking();
      await Promise.all(Array.from(lookouts.values(), (lookout) => lookout.stop()));
      await unlisten();
    },
  };
}

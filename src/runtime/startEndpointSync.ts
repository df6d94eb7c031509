import type { Logger } from 'pino';
import { createCoalescedLoop } from '../lib/createCoalescedLoop.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { OpenChains } from '../services/contracts/openChains.ts';
import { readStoredEndpoints } from '../services/contracts/readStoredEndpoints.ts';
import type { Store } from '../store/db.ts';
import type { Keyring } from '../store/keyring.ts';

type Options = {
  store: Store;
  keyring: Keyring;
  chains: Pick<OpenChains, 'setStored'>;
  /** Calls back when stored endpoints may have changed. */
  listen: (onNotify: () => void) => () => Promise<void>;
  now: () => number;
  log: Logger;
};

/** In case a notification is lost, or reading fails. */
const pollMs = 30_000;

/** Uses the stored endpoints from now on, also those that administrators add, change or delete while this process runs. */
export async function startEndpointSync({
  store,
  keyring,
  chains,
  listen,
  now,
  log,
}: Options): Promise<Stoppable> {
  const onUnreadable = throttlePerMinute(now, (error) =>
    log.error({ err: error }, 'A stored endpoint cannot be used'),
  );
  const sync = async () => chains.setStored(await readStoredEndpoints(store, keyring, onUnreadable));
  await sync();
  const loop = createCoalescedLoop(sync, (error) =>
    log.warn({ err: error }, 'Reading the endpoints of chains failed; retrying'),
  );
  const unlisten = listen(loop.wake);
  const timer = setInterval(loop.wake, pollMs);
  return {
    async stop() {
      clearInterval(timer);
      await unlisten();
      await loop.stop();
    },
  };
}

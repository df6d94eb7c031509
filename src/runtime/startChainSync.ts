import type { Logger } from 'pino';
import { setOwnChains } from '../chains/chains.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { createMutex } from '../lib/createMutex.ts';
import { startPoller } from '../lib/startPoller.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { Keyring } from '../model/keyring.ts';
import type { OpenChains } from '../services/contracts/openChains.ts';
import { readStoredEndpoints } from '../services/contracts/readStoredEndpoints.ts';
import { findOwnChains } from '../store/contracts/ownChains.ts';
import type { Store } from '../store/db/db.ts';

type Options = {
  store: Store;
  keyring: Keyring;
  chains: Pick<OpenChains, 'setStored'>;
  /** Calls back when stored chains or endpoints may have changed. */
  listen: (onNotify: () => void) => () => Promise<void>;
  now: () => number;
  log: Logger;
};

/** In case a notification is lost, or reading fails. */
const pollMs = 30_000;

/** Uses the stored chains and endpoints from now on, also what administrators add, change or delete while this process runs. */
export async function startChainSync({
  store,
  keyring,
  chains,
  listen,
  now,
  log,
}: Options): Promise<Stoppable & { sync(): Promise<void> }> {
  const onUnreadable = throttlePerMinute(now, (error) =>
    log.error({ err: error }, 'A stored endpoint cannot be used'),
  );
  // One at a time, so that an older answer never follows a newer one.
  const turns = createMutex();
  const sync = () =>
    turns.runExclusive(async () => {
      const changed = setOwnChains(await findOwnChains(store));
      chains.setStored(await readStoredEndpoints(store, keyring, onUnreadable), changed);
    });
  await sync();
  const { stop } = startPoller(sync, {
    everyMs: pollMs,
    listen,
    onError: (error) => log.warn({ err: error }, 'Reading chains and their endpoints failed; retrying'),
  });
  return { sync, stop };
}

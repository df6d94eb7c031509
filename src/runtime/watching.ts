import { randomUUID } from 'node:crypto';
import type { ChainClient } from '../chains/chainClient.ts';
import { type ChainUid, chains } from '../chains/chains.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { LeaseLost } from '../store/watch/cursor.ts';
import { isChainWatched } from '../store/watch/watchedContracts.ts';
import { holdLease } from '../watch/holdLease.ts';
import { processBacktests } from '../watch/processBacktests.ts';
import { type ChainOptions, type ChainSettings, watchChain } from './watchChain.ts';

type Options = Omit<ChainOptions, 'chain' | 'client' | 'settings' | 'holder' | 'subscribe'> & {
  settings: Readonly<Record<string, ChainSettings>>;
  client: (uid: ChainUid) => ChainClient | undefined;
  /** Calls back when what is watched changes. */
  listen: (onNotify: (message: string | undefined) => void) => () => Promise<void>;
};

/** Watches every configured chain that has active contracts and that no other process watches, and runs backtests. */
export function startWatching({ settings, client: clientOf, listen, ...options }: Options): Stoppable {
  const { store, fetchFor, now, log } = options;
  const stopping = new AbortController();
  const holder = randomUUID();
  const subscribers = new Set<(message: string | undefined) => void>();
  const unlisten = listen((message) => {
    for (const onNotify of subscribers) onNotify(message);
  });
  const subscribe: ChainOptions['subscribe'] = (onNotify) => {
    subscribers.add(onNotify);
    return () => subscribers.delete(onNotify);
  };
  const chainUids = Object.keys(settings) as ChainUid[];

  async function watch(chainUid: ChainUid): Promise<void> {
    const client = clientOf(chainUid);
    if (!client) {
      log.warn({ chain: chainUid }, 'Chains of this family are not supported yet; the chain is not watched');
      return;
    }
    const chain = chains[chainUid];
    const chainOptions = { ...options, chain, client, settings: settings[chainUid], holder, subscribe };
    await holdLease({
      db: store,
      chainUid,
      holder,
      isNeeded: () => isChainWatched(store, chainUid),
      run: (signal) => watchChain(chainOptions, signal),
      onError: (error) => {
        if (error instanceof LeaseLost)
          log.warn({ chain: chainUid }, 'Another process took over the chain; waiting for its lease');
        else log.error({ err: error, chain: chainUid }, 'Chain follower failed; restarting');
      },
      signal: stopping.signal,
    });
  }

  const running = [
    ...chainUids.map(watch),
    processBacktests({
      store,
      chainUids,
      client: clientOf,
      fetchFor: (uid, client) => {
        const fetch = fetchFor(uid, client);
        return (requests) => fetch(requests, 'background');
      },
      now,
      onError: (error) => log.warn({ err: error }, 'Backtests failed; retrying'),
      signal: stopping.signal,
    }),
  ];

  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
      await unlisten();
    },
  };
}

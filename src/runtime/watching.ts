import { randomUUID } from 'node:crypto';
import type { ChainClient } from '../chains/chainClient.ts';
import { type ChainUid, chains } from '../chains/chains.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { keysOf } from '../lib/keysOf.ts';
import { LeaseLost } from '../store/watch/cursor.ts';
import { isChainWatched } from '../store/watch/watchedContracts.ts';
import { holdLease } from '../watch/holdLease.ts';
import { processBacktests } from '../watch/processBacktests.ts';
import { type ChainOptions, watchChain } from './watchChain.ts';

type Options = Omit<
  ChainOptions,
  'chain' | 'client' | 'startBlock' | 'confirmations' | 'holder' | 'subscribe'
> & {
  /** The configured chains. */
  settings: Readonly<Partial<Record<ChainUid, { startBlock: number | undefined }>>>;
  confirmations: (uid: ChainUid) => number;
  clientOf: (uid: ChainUid) => ChainClient | undefined;
  /** Calls back when what is watched changes. */
  listen: (onNotify: (message: string | undefined) => void) => () => Promise<void>;
};

/** Watches every configured chain that has active contracts and that no other process watches, and runs backtests. */
export function startWatching({ settings, confirmations, clientOf, listen, ...shared }: Options): Stoppable {
  const { store, fetchFor, now, log } = shared;
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
  const chainUids = keysOf(settings);

  async function watch(chainUid: ChainUid): Promise<void> {
    const client = clientOf(chainUid);
    if (!client) {
      log.warn({ chain: chainUid }, 'Chains of this family are not supported yet; the chain is not watched');
      return;
    }
    const options: ChainOptions = {
      ...shared,
      chain: chains[chainUid],
      client,
      startBlock: settings[chainUid]?.startBlock,
      confirmations: confirmations(chainUid),
      holder,
      subscribe,
    };
    await holdLease({
      db: store,
      chainUid,
      holder,
      isNeeded: () => isChainWatched(store, chainUid),
      run: (signal) => watchChain(options, signal),
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
      clientOf,
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

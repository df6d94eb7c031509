import { createAlertWriter } from '../alerts/createAlertWriter.ts';
import type { AlertHook } from '../alerts/raiseAlerts.ts';
import type { ChainClient } from '../chains/chainClient.ts';
import { type ChainUid, chainUids, getChain } from '../chains/chains.ts';
import { families } from '../chains/families.ts';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { createMutex } from '../lib/createMutex.ts';
import { keysOf } from '../lib/keysOf.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { PendingMode } from '../model/pending.ts';
import type { TraceMode } from '../model/traceState.ts';
import { createShardGroups } from '../store/alerts/createShardGroups.ts';
import type { FindGroups } from '../store/alerts/groupWrites.ts';
import { LeaseLost } from '../store/watch/cursor.ts';
import type { Presence } from '../store/watch/openPresence.ts';
import { isChainWatched } from '../store/watch/watchedContracts.ts';
import { processBacktests } from './backtests/processBacktests.ts';
import { createPreparations } from './createPreparations.ts';
import { createFreeChains } from './leases/createFreeChains.ts';
import { createOthersFollow } from './leases/createOthersFollow.ts';
import { holdLease } from './leases/holdLease.ts';
import { keepStandBys } from './leases/keepStandBys.ts';
import { leaveChains } from './leases/leaveChains.ts';
import { spreadLeases } from './leases/spreadLeases.ts';
import { type ChainOptions, openWatchSet, type WatchSet, watchChain } from './watchChain.ts';

type Options = Omit<
  ChainOptions,
  | 'chain'
  | 'client'
  | 'startBlock'
  | 'traceMode'
  | 'pendingMode'
  | 'confirmations'
  | 'holder'
  | 'subscribe'
  | 'alerts'
  | 'minedHooks'
> & {
  alertHooks: readonly AlertHook[];
  minedHooks?: readonly AlertHook[];
  /** Undefined while one database has all alerts; asked of the store unless a test says otherwise. */
  shardGroups?: () => Promise<FindGroups | undefined>;
  /** What may wait of a chain for a database worker that cannot be written. */
  maxWaitingBytes?: number | undefined;
  /** Settings by chain; chains that have a client are watched. */
  settings: Readonly<
    Partial<Record<ChainUid, { startBlock: number | undefined; traces?: TraceMode; pending?: PendingMode }>>
  >;
  confirmations: (uid: ChainUid) => number;
  /** Undefined for a chain without endpoints. */
  clientOf: (uid: ChainUid) => ChainClient | undefined;
  /** Calls back when chains get their first endpoint or lose their last one. */
  onEndpointChange?: (listener: () => void) => () => void;
  /** Calls back when what is watched changes. */
  listen: (onNotify: (message: string | undefined) => void) => () => Promise<void>;
  /** Shows other processes that this one lives; it ends with the watching. */
  presence: Presence;
};

type Watch = { client: ChainClient; ending: AbortController; ended: Promise<void> };

/** Watches every chain with endpoints that has active contracts and that no other process watches, and runs backtests. */
export function startWatching(options: Options): Stoppable {
  const { settings, confirmations, clientOf, onEndpointChange, listen, presence, ...rest } = options;
  const { store, fetchFor, now, log } = rest;
  const hooks = { ...rest, minedHooks: rest.minedHooks ?? [] };
  const alerts = createAlertWriter({
    ...hooks,
    shardGroups: rest.shardGroups ?? createShardGroups(store),
    onGroupFailure: throttlePerMinute(now, ({ error, chainUid, group, tenants }) =>
      log.error(
        { err: error, chain: chainUid, worker: group, tenants: tenants?.count, firstTenants: tenants?.first },
        'Findings cannot be written to a database worker; they wait on the coordinator',
      ),
    ),
  });
  alerts.start(
    throttlePerMinute(now, (error) =>
      log.warn({ err: error }, 'Looking for alerts that wait to be written failed; retrying'),
    ),
  );
  const shared = { ...hooks, alerts };
  const leaving = new AbortController();
  const stopping = new AbortController();
  const starting = createMutex();
  const isFree = createFreeChains(store, presence.holder);
  const subscribers = new Set<(message: string | undefined) => void>();
  const unlisten = listen((message) => {
    for (const onNotify of subscribers) onNotify(message);
  });
  const subscribe: ChainOptions['subscribe'] = (onNotify) => {
    subscribers.add(onNotify);
    return () => subscribers.delete(onNotify);
  };
  const preparations = createPreparations({
    store,
    open: (uid) => openWatchSet({ chain: getChain(uid), subscribe }),
    isCurrent: ({ chain }) => chain === getChain(chain.uid),
    signal: leaving.signal,
  });
  const watches = new Map<ChainUid, Watch>();

  function startAndEnd(): void {
    if (leaving.signal.aborted) return;
    for (const uid of new Set([...chainUids, ...watches.keys()])) {
      const client = clientOf(uid);
      const running = watches.get(uid);
      if (client && !running) start(uid, client);
      // Another client is one that knows other facts of the chain.
      if (!running || client === running.client || running.ending.signal.aborted) continue;
      if (client) log.info({ chain: uid }, 'The facts of the chain have changed; following starts again');
      else log.info({ chain: uid }, 'The chain has no endpoint any more; following stops until it has');
      running.ending.abort();
    }
  }

  function start(uid: ChainUid, client: ChainClient): void {
    const ending = new AbortController();
    const ended = watch(uid, client, AbortSignal.any([stopping.signal, ending.signal])).finally(() => {
      watches.delete(uid);
      // It may have got another endpoint while it was ending; its lease must be released before it is taken again.
      startAndEnd();
    });
    watches.set(uid, { client, ending, ended });
  }

  async function watch(chainUid: ChainUid, client: ChainClient, signal: AbortSignal): Promise<void> {
    const options: ChainOptions = {
      ...shared,
      chain: getChain(chainUid),
      client,
      startBlock: settings[chainUid]?.startBlock,
      traceMode: settings[chainUid]?.traces ?? 'auto',
      pendingMode: settings[chainUid]?.pending ?? 'auto',
      confirmations: confirmations(chainUid),
      holder: presence.holder,
      subscribe,
    };
    await holdLease({
      db: store,
      chainUid,
      presence,
      isFree: () => isFree(chainUid),
      isNeeded: () => isChainWatched(store, chainUid),
      isPrepared: () => preparations.has(chainUid),
      starting,
      run: (until, onStarted) => follow(options, until, onStarted),
      onError: (error) => {
        if (error instanceof LeaseLost)
          log.warn({ chain: chainUid }, 'Another process took over the chain; waiting for its lease');
        else log.error({ err: error, chain: chainUid }, 'Chain follower failed; restarting');
      },
      leaving: leaving.signal,
      signal,
    });
  }

  async function follow(options: ChainOptions, until: AbortSignal, onStarted: () => void): Promise<void> {
    const { uid } = options.chain;
    const watchSet = preparations.take(uid);
    const { watchList } = watchSet;
    let kept: WatchSet | undefined;
    try {
      await watchChain(options, watchSet, until, onStarted);
      if (leaving.signal.aborted || clientOf(uid) !== options.client || watchList.contractCount() === 0)
        return;
      await watchList.standBack();
      kept = openWatchSet(options, watchList);
    } finally {
      watchSet.close();
      preparations.giveBack(uid, kept);
    }
  }

  for (const uid of keysOf(settings))
    if (!families[getChain(uid).family].nodes)
      log.warn({ chain: uid }, 'Chains of this family are not supported yet; the chain is not watched');
  const readable = () => chainUids.filter((uid) => clientOf(uid) !== undefined);
  const removeListener = onEndpointChange?.(startAndEnd);
  startAndEnd();
  const others = createOthersFollow(store, presence.holder);
  const spreading = spreadLeases({
    db: store,
    presence,
    chainUids: readable,
    othersFollow: others.isSo,
    prepare: preparations.prepare,
    onError: (error) => log.warn({ err: error }, 'Asking for chains of other processes failed; retrying'),
    signal: leaving.signal,
  });
  const standing = keepStandBys({
    db: store,
    presence,
    chainUids: readable,
    sets: preparations.standBys,
    othersFollow: others.isSo,
    idle: starting.idle,
    onReady: (chain, reading) => log.info({ chain, ...reading }, 'Standing by for the chain'),
    onError: (error) => log.warn({ err: error }, 'Standing by for other processes failed; retrying'),
    signal: leaving.signal,
  });
  const backtesting = processBacktests({
    store,
    chainUids: readable,
    clientOf,
    fetchFor: (uid, client) => {
      const fetch = fetchFor(uid, client);
      return (requests) => fetch(requests, 'background');
    },
    now,
    onError: (error) => log.warn({ err: error }, 'Backtests failed; retrying'),
    signal: stopping.signal,
  });

  return {
    async stop() {
      leaving.abort();
      others.stop();
      removeListener?.();
      const ended = Promise.all(Array.from(watches.values(), (watch) => watch.ended));
      await leaveChains(store, presence, ended).catch((error: unknown) =>
        log.warn({ err: error }, 'Offering chains to other processes failed; they take them later'),
      );
      stopping.abort();
      await Promise.all([spreading, standing, backtesting, ended]);
      preparations.close();
      await Promise.all([alerts.stop(), unlisten(), presence.stop()]);
    },
  };
}

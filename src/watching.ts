import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Follow } from './alerts/raise.ts';
import type { FollowRetraction } from './alerts/retract.ts';
import type { ChainClient } from './chains/chainClient.ts';
import { type Chain, type ChainUid, chains } from './chains/chains.ts';
import type { Fetch } from './matching/answers.ts';
import { createPipeline } from './pipeline.ts';
import type { MetricRecorder } from './services/metricRecorder.ts';
import type { Store } from './store/db.ts';
import { findCursor, LeaseLost, parkChain } from './store/watch/cursor.ts';
import { saveEndpoints } from './store/watch/endpoints.ts';
import { isChainWatched } from './store/watch/watchedContracts.ts';
import { workOnBacktests } from './watch/backtestWorker.ts';
import { openFaultLedger } from './watch/faultLedger.ts';
import { followChain } from './watch/followChain.ts';
import { holdLease } from './watch/holdLease.ts';
import { createInspector } from './watch/inspectContracts.ts';
import { createWatchList, type WatchList } from './watch/watchList.ts';
import { createWatchMeter } from './watch/watchMeter.ts';

type ChainSettings = { confirmations: number | undefined; startBlock: number | undefined };

type Options = {
  settings: Readonly<Record<string, ChainSettings>>;
  client: (uid: ChainUid) => ChainClient | undefined;
  store: Store;
  answers: (uid: ChainUid, client: ChainClient) => Fetch;
  recorder: MetricRecorder;
  /** Hears of changes of what is watched. */
  listen: (heard: (message: string | undefined) => void) => () => Promise<void>;
  follow: readonly Follow[];
  followRetraction: readonly FollowRetraction[];
  now: () => number;
  log: Logger;
};

/** Follows every configured chain on which something is watched, as far as no other process does. */
export function startWatching(options: Options): { stop(): Promise<void> } {
  const { store, log } = options;
  const stopping = new AbortController();
  const holder = randomUUID();
  const lists = new Map<ChainUid, WatchList>();
  const unlisten = options.listen((message) => {
    for (const list of lists.values()) list.note(message);
  });
  const uids = Object.keys(options.settings) as ChainUid[];
  const running = uids.map(async (chainUid) => {
    const client = options.client(chainUid);
    if (!client) {
      log.warn({ chain: chainUid }, 'Chains of this family cannot be followed yet');
      return;
    }
    await holdLease({
      db: store,
      chainUid,
      holder,
      isWanted: () => isChainWatched(store, chainUid),
      run: (signal) => runChain(chains[chainUid], client, signal),
      onError: (error) => {
        if (error instanceof LeaseLost)
          log.warn({ chain: chainUid }, 'Another process follows the chain now');
        else log.error({ err: error, chain: chainUid }, 'Following the chain broke off and is begun again');
      },
      signal: stopping.signal,
    });
  });

  running.push(
    workOnBacktests({
      store,
      chainUids: uids,
      client: options.client,
      fetchFor: options.answers,
      now: options.now,
      onError: (error) => log.warn({ err: error }, 'Backtests were not worked on; trying on'),
      signal: stopping.signal,
    }),
  );

  async function runChain(chain: Chain, client: ChainClient, signal: AbortSignal): Promise<void> {
    const { settings, now } = options;
    const confirmations = settings[chain.uid]?.confirmations ?? chain.confirmations;
    const list = createWatchList(chain);
    lists.set(chain.uid, list);
    try {
      await list.refresh(store);
      const cursor = await findCursor(store, chain.uid);
      log.info({ chain: chain.uid, from: cursor.tip?.number ?? 'head' }, 'Following the chain');
      const meter = createWatchMeter(chain.uid, options.recorder);
      const pipeline = createPipeline(
        {
          chain,
          store,
          watchList: list,
          fetch: options.answers(chain.uid, client),
          faults: await openFaultLedger(store, chain.uid),
          meter,
          holder,
          confirmations,
          head: client.head,
          follow: options.follow,
          followRetraction: options.followRetraction,
          now,
        },
        cursor.tip,
      );
      const stopSideWork = startSideWork(chain, client, list, pipeline, signal);
      try {
        for await (const message of followChain({
          client,
          recent: cursor.recent,
          startBlock: settings[chain.uid]?.startBlock,
          blockTimeMs: chain.blockTimeMs,
          confirmations,
          now,
          onTrouble: createTroubleLog(log, chain.uid, now),
          signal,
        })) {
          if (message.type === 'retract')
            log.warn(
              { chain: chain.uid, depth: message.dropped.length, to: message.to?.number ?? null },
              'The chain was reorganised',
            );
          await pipeline.handle(message);
          if (signal.aborted) break;
          if (list.isEmpty()) {
            // When something is watched here again, it is watched from then on and not from where this ended.
            await store.transaction((tx) => parkChain(tx, chain.uid, holder));
            log.info({ chain: chain.uid }, 'Nothing is watched on the chain any more');
            break;
          }
        }
      } finally {
        await stopSideWork();
      }
    } finally {
      lists.delete(chain.uid);
    }
  }

  /** What goes on beside the blocks: the clock, new contracts, the state of the endpoints. */
  function startSideWork(
    chain: Chain,
    client: ChainClient,
    list: WatchList,
    pipeline: ReturnType<typeof createPipeline>,
    signal: AbortSignal,
  ): () => Promise<void> {
    const inspector = createInspector(client, store, list, options.now);
    const failed = (what: string) => (error: unknown) => {
      if (!signal.aborted) log.warn({ err: error, chain: chain.uid }, what);
    };
    let previousAt = options.now();
    const ticks = new Set<Promise<void>>();
    const start = (work: Promise<void>) => {
      ticks.add(work);
      void work.finally(() => ticks.delete(work));
    };
    const timer = setInterval(() => {
      const at = options.now();
      start(list.refresh(store).catch(failed('The list of what is watched was not read')));
      start(pipeline.tick(previousAt, at).catch(failed('Scheduled detectors were not run')));
      start(
        saveEndpoints(store, chain.uid, client.health()).catch(
          failed('The state of endpoints was not written'),
        ),
      );
      inspector.start(failed('Contracts were not looked into; they are tried again'));
      previousAt = at;
    }, 1000);
    return async () => {
      clearInterval(timer);
      await Promise.all([...ticks, inspector.stop()]);
    };
  }

  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
      await unlisten();
    },
  };
}

/** Nodes that do not answer are told of at once and then once a minute, not at every attempt. */
function createTroubleLog(log: Logger, chain: string, now: () => number): (error: unknown) => void {
  let toldAt = 0;
  return (error) => {
    if (now() < toldAt + 60_000) return;
    toldAt = now();
    log.warn({ err: error, chain }, 'The nodes of the chain do not answer as they should; trying on');
  };
}

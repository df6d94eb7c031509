import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AlertHook } from '../alerts/raiseAlerts.ts';
import type { RetractionHook } from '../alerts/retractBlocks.ts';
import { BlockUnavailable, type ChainClient } from '../chains/chainClient.ts';
import { type Chain, type ChainUid, chains } from '../chains/chains.ts';
import type { AuditKeys } from '../lib/auditKey.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { Fetch } from '../matching/createReadCache.ts';
import type { MetricRecorder } from '../services/telemetry/metricRecorder.ts';
import type { Store } from '../store/db.ts';
import { findCursor, LeaseLost, parkChain, saveTick } from '../store/watch/cursor.ts';
import { saveEndpointHealth } from '../store/watch/endpoints.ts';
import { isChainWatched } from '../store/watch/watchedContracts.ts';
import { createContractInspector } from '../watch/createContractInspector.ts';
import { createFundingTracker, type FundingTracker } from '../watch/createFundingTracker.ts';
import { createWatchList, type WatchList } from '../watch/createWatchList.ts';
import { createWatchMeter } from '../watch/createWatchMeter.ts';
import { followChain } from '../watch/followChain.ts';
import { holdLease } from '../watch/holdLease.ts';
import { openDeferrals } from '../watch/openDeferrals.ts';
import { openFaultLedger } from '../watch/openFaultLedger.ts';
import { processBacktests } from '../watch/processBacktests.ts';
import { createPipeline } from './pipeline/createPipeline.ts';

type ChainSettings = { confirmations: number | undefined; startBlock: number | undefined };

type Options = {
  settings: Readonly<Record<string, ChainSettings>>;
  client: (uid: ChainUid) => ChainClient | undefined;
  store: Store;
  fetchFor: (uid: ChainUid, client: ChainClient) => Fetch;
  recorder: MetricRecorder;
  auditKeys: Pick<AuditKeys, 'newest'>;
  /** Hears of changes of what is watched. */
  listen: (heard: (message: string | undefined) => void) => () => Promise<void>;
  alertHooks: readonly AlertHook[];
  retractionHooks: readonly RetractionHook[];
  now: () => number;
  log: Logger;
};

type Followed = { chain: Chain; client: ChainClient; list: WatchList; funding: FundingTracker };

/** Follows every configured chain on which something is watched, as far as no other process does. */
export function startWatching(options: Options): { stop(): Promise<void> } {
  const { store, log } = options;
  const stopping = new AbortController();
  const holder = randomUUID();
  const listeners = new Map<ChainUid, (message: string | undefined) => void>();
  const unlisten = options.listen((message) => {
    for (const note of listeners.values()) note(message);
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
      isNeeded: () => isChainWatched(store, chainUid),
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
    processBacktests({
      store,
      chainUids: uids,
      client: options.client,
      fetchFor: (uid, client) => {
        const fetch = options.fetchFor(uid, client);
        return (requests) => fetch(requests, 'background');
      },
      now: options.now,
      onError: (error) => log.warn({ err: error }, 'Backtests were not worked on; trying on'),
      signal: stopping.signal,
    }),
  );

  async function runChain(chain: Chain, client: ChainClient, signal: AbortSignal): Promise<void> {
    const list = createWatchList(chain);
    const funding = createFundingTracker(chain.uid);
    listeners.set(chain.uid, (message) => {
      list.onNotify(message);
      funding.onNotify(message);
    });
    try {
      await list.refresh(store);
      while (!(await hasFollowed({ chain, client, list, funding }, signal)));
    } finally {
      listeners.delete(chain.uid);
    }
  }

  /** False when a block vanished while it was worked on: from the one before it the chain is seen as it is now. */
  async function hasFollowed(followed: Followed, signal: AbortSignal): Promise<boolean> {
    try {
      await followOn(followed, signal);
      return true;
    } catch (error) {
      if (!(error instanceof BlockUnavailable)) throw error;
      log.info({ chain: followed.chain.uid }, error.message);
      // Nodes that are not of one mind would otherwise be asked without end.
      await sleep(250, undefined, { signal }).catch(() => undefined);
      return signal.aborted;
    }
  }

  async function followOn({ chain, client, list, funding }: Followed, signal: AbortSignal): Promise<void> {
    const { settings, now } = options;
    const confirmations = settings[chain.uid]?.confirmations ?? chain.confirmations;
    const cursor = await findCursor(store, chain.uid);
    log.info({ chain: chain.uid, from: cursor.tip?.number ?? 'head' }, 'Following the chain');
    const meter = createWatchMeter(chain.uid, options.recorder);
    const pipeline = createPipeline(
      {
        chain,
        store,
        watchList: list,
        fetch: options.fetchFor(chain.uid, client),
        ledger: await openFaultLedger(store, chain.uid),
        deferrals: await openDeferrals(store, chain.uid),
        funding,
        meter,
        auditKeys: options.auditKeys,
        holder,
        confirmations,
        readBlock: client.block,
        head: client.head,
        alertHooks: options.alertHooks,
        retractionHooks: options.retractionHooks,
        now,
        onError: throttlePerMinute(now, (error) =>
          log.warn({ err: error, chain: chain.uid }, 'Deferred evaluations failed; retrying'),
        ),
      },
      cursor.tip,
    );
    const tickedAt = cursor.tickedAt ?? now();
    await saveTick(store, chain.uid, holder, tickedAt);
    const stopSideWork = startSideWork({ chain, client, list }, pipeline, tickedAt, signal);
    try {
      for await (const message of followChain({
        client,
        recent: cursor.recent,
        // What was followed before and then left is taken up at its head.
        startBlock: cursor.isNew ? settings[chain.uid]?.startBlock : cursor.next,
        blockTimeMs: chain.blockTimeMs,
        confirmations,
        now,
        onError: throttlePerMinute(now, (error) =>
          log.warn(
            { err: error, chain: chain.uid },
            'The nodes of the chain do not answer as they should; trying on',
          ),
        ),
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
  }

  /** What goes on beside the blocks: the clock, new contracts, the state of the endpoints. */
  function startSideWork(
    { chain, client, list }: Omit<Followed, 'funding'>,
    pipeline: ReturnType<typeof createPipeline>,
    tickedAt: number,
    signal: AbortSignal,
  ): () => Promise<void> {
    const inspector = createContractInspector(client, store, list, options.now);
    const failed = (what: string) => (error: unknown) => {
      if (!signal.aborted) log.warn({ err: error, chain: chain.uid }, what);
    };
    let previousAt = tickedAt;
    const looks = createLooks(client);
    const timer = setInterval(() => {
      const at = options.now();
      list.refresh(store).catch(failed('The list of what is watched was not read'));
      pipeline.tick(previousAt, at).catch(failed('Scheduled detectors were not run'));
      looks.next(at).catch(failed('Endpoints were not compared'));
      saveEndpointHealth(store, chain.uid, holder, client.health()).catch(
        failed('The state of endpoints was not written'),
      );
      inspector.start(failed('Contracts were not looked into; they are tried again'));
      previousAt = at;
    }, 1000);
    return async () => {
      clearInterval(timer);
      await Promise.all([pipeline.stop(), inspector.stop()]);
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

/** Endpoints in trouble are looked at soon, all of them only now and then, since every look is a call. */
function createLooks(client: ChainClient) {
  let troubledAt = 0;
  let allAt = 0;
  let allHead = Number.NEGATIVE_INFINITY;
  return {
    async next(at: number): Promise<void> {
      const isAll = at >= allAt + 15_000 && client.head() >= allHead + 50;
      if (!isAll && at < troubledAt + 5000) return;
      troubledAt = at;
      if (isAll) {
        allAt = at;
        allHead = client.head();
      }
      await client.checkEndpoints(isAll ? 'all' : 'troubled');
    },
  };
}

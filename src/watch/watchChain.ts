import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BlockUnavailable, type ChainClient } from '../chains/chainClient.ts';
import type { ChainUid } from '../chains/chains.ts';
import { throttlePerMinute } from '../lib/throttlePerMinute.ts';
import type { Fetch } from '../matching/createReadCache.ts';
import type { Block } from '../model/block.ts';
import type { MetricRecorder } from '../model/metrics.ts';
import { type Cursor, findCursor, parkChain, saveTick } from '../store/watch/cursor.ts';
import { findHalt } from '../store/watch/halts.ts';
import type { PipelineOptions } from './commit/createPipelineContext.ts';
import { openDeferrals } from './commit/openDeferrals.ts';
import { type ChainMessage, followChain } from './follow/followChain.ts';
import { createPipeline, type Pipeline } from './pipeline/createPipeline.ts';
import { createFundingTracker } from './reads/createFundingTracker.ts';
import { createRecentBlocks } from './reads/createRecentBlocks.ts';
import { startChainUpkeep } from './startChainUpkeep.ts';
import { createWatchList } from './subscribers/createWatchList.ts';
import { createWatchMeter } from './subscribers/createWatchMeter.ts';
import { openFaultLedger } from './subscribers/openFaultLedger.ts';

export type ChainOptions = Pick<
  PipelineOptions,
  | 'chain'
  | 'store'
  | 'auditKeys'
  | 'holder'
  | 'confirmations'
  | 'alerts'
  | 'retractionHooks'
  | 'readWaitMs'
  | 'traceMode'
  | 'pendingMode'
  | 'pendingDropMs'
  | 'minedHooks'
  | 'onStep'
  | 'now'
> & {
  client: ChainClient;
  /** First block of a chain that was never followed before; undefined: its head. */
  startBlock: number | undefined;
  fetchFor: (uid: ChainUid, client: ChainClient) => Fetch;
  recorder: MetricRecorder;
  /** Calls back when what is watched changes, until the returned function is called. */
  subscribe: (onNotify: (message: string | undefined) => void) => () => void;
  log: Logger;
};

/** Delay before the chain is followed again from the block before a vanished one. */
const blockUnavailableDelayMs = 250;

/** The watch list of a chain, kept up to date. */
export type WatchSet = ReturnType<typeof openWatchSet>;

export function openWatchSet(
  { chain, subscribe }: Pick<ChainOptions, 'chain' | 'subscribe'>,
  watchList = createWatchList(chain),
) {
  const funding = createFundingTracker(chain.uid);
  const close = subscribe((message) => {
    watchList.onNotify(message);
    funding.onNotify(message);
  });
  return { chain, watchList, funding, close };
}

/** Watches one chain until the signal, or until nothing on it is watched any more. The caller closes the watch set. */
export async function watchChain(
  options: ChainOptions,
  { watchList, funding }: WatchSet,
  signal: AbortSignal,
  onStarted: () => void,
): Promise<void> {
  const { chain, store, log } = options;
  const startedAt = performance.now();
  const contractsRead = await watchList.refresh(store);
  const reading = { contractsRead, readMs: Math.round(performance.now() - startedAt) };
  onStarted();
  for (;;) {
    try {
      return await follow({ ...options, watchList, funding, reading }, signal);
    } catch (error) {
      // The chain was reorganised while the block was processed: following again finds the new branch.
      if (!(error instanceof BlockUnavailable)) throw error;
      log.info({ chain: chain.uid }, error.message);
      await sleep(blockUnavailableDelayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  }
}

type FollowOptions = ChainOptions &
  Pick<PipelineOptions, 'watchList' | 'funding'> & {
    /** Contracts that had to be read, and the time it took; zero where they were read before the lease was taken. */
    reading: { contractsRead: number; readMs: number };
  };

/** Feeds everything that happens to the chain into the pipeline, from the stored cursor on. */
async function follow(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { chain, store, watchList, holder, reading, now, log } = options;
  const cursor = await findCursor(store, chain.uid);
  log.info({ chain: chain.uid, from: cursor.tip?.number ?? 'head', ...reading }, 'Following the chain');
  const recent = createRecentBlocks();
  const pipeline = await openPipeline(options, cursor, recent);
  const tickedAt = cursor.tickedAt ?? now();
  await saveTick(store, chain.uid, holder, tickedAt);
  const upkeep = startChainUpkeep(options, pipeline, tickedAt, signal);
  try {
    for await (const message of messagesOf(options, cursor, signal)) {
      if (message.type === 'retract')
        log.warn(
          { chain: chain.uid, depth: message.dropped.length, to: message.to?.number ?? null },
          'The chain was reorganised; retracting alerts of dropped blocks',
        );
      if (message.type === 'gap')
        log.error(
          { chain: chain.uid, first: message.first, last: message.last },
          'No node keeps these blocks any more; following goes on behind them',
        );
      // Their traces are evaluated later, and need the blocks again.
      if (message.type === 'blocks' && watchList.index.wantsTraces()) message.blocks.forEach(recent.add);
      else if (message.type === 'retract') recent.rewind(message.to?.number ?? -1);
      await pipeline.handle(message);
      if (signal.aborted) break;
      if (watchList.contractCount() === 0) {
        // A contract that is added later is watched from then on, not from where following ends now.
        await store.transaction((tx) => parkChain(tx, chain.uid, holder));
        log.info({ chain: chain.uid }, 'No active contracts on the chain; following stops until there are');
        break;
      }
    }
  } finally {
    await upkeep.stop();
  }
}

async function openPipeline(
  options: FollowOptions,
  cursor: Cursor,
  recent: ReturnType<typeof createRecentBlocks>,
): Promise<Pipeline> {
  const { chain, client, store, now, log } = options;
  const watched = options.watchList.index;
  const detail = client.detail && ((block: Block) => client.detail?.(block, watched) ?? block);
  return createPipeline(
    {
      ...options,
      fetch: options.fetchFor(chain.uid, client),
      ledger: await openFaultLedger(store, chain.uid),
      deferrals: await openDeferrals(store, chain.uid),
      meter: createWatchMeter(chain.uid, options.recorder),
      readBlock: async (number) => {
        const block = recent.get(number) ?? (await client.block(number));
        return block && detail ? detail(block) : block;
      },
      ...(detail && { detail: async (block) => detail(block) }),
      tracer: client.tracer,
      mempool: client.mempool,
      head: client.head,
      isReachable: () => client.health().some(({ state }) => state === 'ok'),
      onError: throttlePerMinute(now, (error) =>
        log.warn({ err: error, chain: chain.uid }, 'Deferred evaluations failed; retrying'),
      ),
    },
    { tip: cursor.tip, halt: await findHalt(store, chain.uid) },
  );
}

function messagesOf(
  options: FollowOptions,
  cursor: Cursor,
  signal: AbortSignal,
): AsyncGenerator<ChainMessage> {
  const { chain, client, now, log } = options;
  return followChain({
    client,
    recent: cursor.recent,
    // A chain that was parked is taken up at its head.
    startBlock: cursor.isNew ? options.startBlock : cursor.next,
    startAt: options.watchList.startAt,
    blockTimeMs: chain.blockTimeMs,
    confirmations: options.confirmations,
    now,
    onError: throttlePerMinute(now, (error) =>
      log.warn({ err: error, chain: chain.uid }, 'Reading from the nodes of the chain failed; retrying'),
    ),
    signal,
  });
}

import { BlockUnavailable } from '../chains/chainClient.ts';
import { createFairQueue } from '../lib/createFairQueue.ts';
import type { Fetch } from '../matching/createReadCache.ts';
import { createSubscriptionIndex } from '../matching/createSubscriptionIndex.ts';
import { type Evaluated, evaluateMatches, type SubscriberState } from '../matching/evaluateMatches.ts';
import type { Subscriber } from '../matching/subscriber.ts';
import type { Block } from '../model/block.ts';
import type { Store } from '../store/db.ts';
import { type Backlog, type DeferredRow, findDeferred, postponeDeferred } from '../store/watch/deferred.ts';
import type { Deferrals } from './openDeferrals.ts';

type Options = {
  chainUid: string;
  store: Store;
  deferrals: Deferrals;
  fetch: Fetch;
  /** The block of this number, or null. */
  readBlock: (number: number) => Promise<Block | null>;
  findSubscriber: (kind: string, id: number) => Subscriber | undefined;
  loadState: (subscriber: Subscriber) => Promise<SubscriberState | undefined>;
  /** Writes the results and deletes the row; does neither when the state changed meanwhile, so that the block is evaluated again. */
  settle: (evaluation: DeferredEvaluation) => Promise<void>;
  /** The subscriber is no longer active. */
  drop: (backlog: Backlog) => Promise<void>;
  /** The backlog has reached half of its limit. */
  reportLate: (subscriber: Subscriber, backlog: Backlog) => Promise<void>;
  switchOff: (subscriber: Subscriber, backlog: Backlog) => Promise<void>;
  isStopped: () => boolean;
  now: () => number;
  onError: (error: unknown) => void;
};

export type DeferredEvaluation = {
  subscriber: Subscriber;
  row: DeferredRow;
  before: SubscriberState | undefined;
  evaluated: Evaluated;
  epoch: number;
};

/** Subscribers evaluated concurrently, one per tenant. */
const slots = 4;
/** A subscriber that is behind by this much is switched off; its owner gets an alert at half of it. */
const maxBacklogBlocks = 1000;
const maxBacklogMs = 3_600_000;
const maxCachedBlocks = 8;

/** Evaluates deferred blocks apart from the chain: in order for each subscriber, fair between tenants. */
export function createDeferredLane(options: Options) {
  const { chainUid, store, deferrals, now } = options;
  const turns = createFairQueue({ slots, slotsPerKey: 1 });
  const running = new Set<string>();
  const reported = new Set<string>();
  const cachedBlocks = new Map<string, Block>();

  function start(): void {
    if (options.isStopped()) return;
    for (const backlog of deferrals.due(now())) {
      const key = keyOf(backlog);
      if (running.has(key)) continue;
      running.add(key);
      turns
        .run(backlog.tenantId, () => next(backlog))
        .catch((error: unknown) => {
          deferrals.delay(backlog, now() + 5000);
          if (!options.isStopped()) options.onError(error);
        })
        .finally(() => {
          running.delete(key);
          start();
        });
    }
  }

  async function next(backlog: Backlog): Promise<void> {
    if (options.isStopped() || !deferrals.has(backlog)) return;
    const epoch = deferrals.epoch();
    const subscriber = options.findSubscriber(backlog.kind, backlog.id);
    if (!subscriber) return options.drop(backlog);
    const row = await findDeferred(store, chainUid, backlog);
    if (!row) return deferrals.reload();
    backlog.oldestAt = row.createdAt;
    const share = Math.max(backlog.count / maxBacklogBlocks, (now() - row.createdAt) / maxBacklogMs);
    if (share < 0.5) reported.delete(keyOf(backlog));
    else if (!reported.has(keyOf(backlog))) {
      reported.add(keyOf(backlog));
      await options.reportLate(subscriber, backlog);
    }
    // A subscriber that waits only because the nodes do not have the block stays on.
    if (share >= 1 && row.attempts === 0) return options.switchOff(subscriber, backlog);
    try {
      const block = await read(row);
      const before = await options.loadState(subscriber);
      const evaluated = await evaluate(subscriber, row, block, before);
      const [postponed] = evaluated.deferred;
      if (postponed) return await postpone(backlog, row);
      await options.settle({ subscriber, row, before, evaluated, epoch });
    } catch (error) {
      if (!(error instanceof BlockUnavailable)) throw error;
      await postpone(backlog, row);
    }
  }

  function evaluate(
    subscriber: Subscriber,
    { previous }: DeferredRow,
    block: Block,
    before: SubscriberState | undefined,
  ): Promise<Evaluated> {
    const index = createSubscriptionIndex();
    index.add(subscriber);
    const matches = index.match(block, previous ?? undefined);
    return evaluateMatches(
      matches,
      () => before,
      (requests) => options.fetch(requests, 'background'),
    );
  }

  async function postpone(backlog: Backlog, row: DeferredRow & { attempts: number }): Promise<void> {
    const at = now() + Math.min(60_000, 1000 * 2 ** Math.min(row.attempts, 6));
    await postponeDeferred(store, chainUid, row, at);
    deferrals.delay(backlog, at);
  }

  async function read({ number, hash }: DeferredRow): Promise<Block> {
    const cached = cachedBlocks.get(hash);
    if (cached) return cached;
    const block = await options.readBlock(number);
    if (block?.hash !== hash) throw new BlockUnavailable(`Block ${number} is not ${hash} at the moment.`);
    cacheBlock(block);
    return block;
  }

  function cacheBlock(block: Block): void {
    cachedBlocks.delete(block.hash);
    cachedBlocks.set(block.hash, block);
    const [oldest] = cachedBlocks.keys();
    if (oldest !== undefined && cachedBlocks.size > maxCachedBlocks) cachedBlocks.delete(oldest);
  }

  return {
    /** Continues with everything that is due. */
    start,
    /** Saves reading a block again that was just processed. */
    cacheBlock,
  };
}

function keyOf({ kind, id }: Backlog): string {
  return `${kind} ${id}`;
}

import { BlockUnavailable } from '../../chains/chainClient.ts';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import { createSubscriptionIndex } from '../../matching/createSubscriptionIndex.ts';
import {
  type Evaluated,
  type EvaluationFault,
  evaluateMatches,
  type OnReadFailure,
  type SubscriberState,
} from '../../matching/evaluateMatches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Block } from '../../model/block.ts';
import type { Store } from '../../store/db/db.ts';
import {
  type DeferredBacklog,
  type DeferredRow,
  findDeferred,
  postponeDeferred,
} from '../../store/watch/deferred.ts';
import type { Deferrals } from '../commit/openDeferrals.ts';

type Options = {
  chainUid: string;
  store: Store;
  deferrals: Deferrals;
  fetch: Fetch;
  /** The block of this number, or null. */
  readBlock: (number: number) => Promise<Block | null>;
  findSubscriber: (kind: Subscriber['kind'], id: number) => Subscriber | undefined;
  loadState: (subscriber: Subscriber) => Promise<SubscriberState | undefined>;
  /** Writes the results and deletes the row; does neither when the state changed meanwhile, so that the block is evaluated again. */
  settle: (evaluation: DeferredEvaluation) => Promise<void>;
  /** The subscriber is no longer active. */
  drop: (backlog: DeferredBacklog) => Promise<void>;
  /** The backlog has reached half of its limit. */
  reportLate: (subscriber: Subscriber, backlog: DeferredBacklog) => Promise<void>;
  /** Nodes fail again to answer what the subscriber reads. */
  reportFault: (fault: EvaluationFault) => Promise<void>;
  switchOff: (subscriber: Subscriber, backlog: DeferredBacklog) => Promise<void>;
  /** Time for which failing reads are repeated. */
  readWaitMs?: number | undefined;
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
/** So long is waited for reads that fail; what is known by then is raised as incomplete, because later blocks wait as well. */
const defaultReadWaitMs = 120_000;

/** Evaluates deferred blocks apart from the chain: in order for each subscriber, fair between tenants. */
export function createDeferredLane(options: Options) {
  const { chainUid, store, deferrals, now, readWaitMs = defaultReadWaitMs } = options;
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

  async function next(backlog: DeferredBacklog): Promise<void> {
    if (options.isStopped() || !deferrals.has(backlog)) return;
    const epoch = deferrals.epoch();
    const subscriber = options.findSubscriber(backlog.kind, backlog.id);
    if (!subscriber) return options.drop(backlog);
    const row = await findDeferred(store, chainUid, backlog);
    if (!row) return deferrals.reload();
    backlog.oldestAt = row.createdAt;
    if (row.reason !== 'read') {
      const isOff = await limitBacklog(subscriber, backlog, row);
      if (isOff) return;
    }
    try {
      const block = await read(row);
      const before = await options.loadState(subscriber);
      const isOverdue = now() - row.createdAt >= readWaitMs;
      const evaluated = await evaluate(subscriber, row, block, before, isOverdue ? 'degrade' : 'defer');
      const [postponed] = evaluated.deferred;
      if (!postponed) return await options.settle({ subscriber, row, before, evaluated, epoch });
      await postpone(backlog, row);
      // The first time may be a hiccup, which the second one has passed.
      if (postponed.fault && row.attempts === 1) await options.reportFault(postponed.fault);
    } catch (error) {
      if (!(error instanceof BlockUnavailable)) throw error;
      await postpone(backlog, row);
    }
  }

  /** Reports a subscriber that is far behind; true when it was switched off. */
  async function limitBacklog(
    subscriber: Subscriber,
    backlog: DeferredBacklog,
    row: DeferredRow & { createdAt: number; attempts: number },
  ): Promise<boolean> {
    const share = Math.max(backlog.count / maxBacklogBlocks, (now() - row.createdAt) / maxBacklogMs);
    if (share < 0.5) reported.delete(keyOf(backlog));
    else if (!reported.has(keyOf(backlog))) {
      reported.add(keyOf(backlog));
      await options.reportLate(subscriber, backlog);
    }
    // A subscriber that waits only because the nodes do not have the block stays on.
    if (share < 1 || row.attempts > 0) return false;
    await options.switchOff(subscriber, backlog);
    return true;
  }

  function evaluate(
    subscriber: Subscriber,
    { previous }: DeferredRow,
    block: Block,
    before: SubscriberState | undefined,
    onReadFailure: OnReadFailure,
  ): Promise<Evaluated> {
    const index = createSubscriptionIndex();
    index.add(subscriber);
    const matches = index.match(block, previous ?? undefined);
    return evaluateMatches(
      matches,
      () => before,
      (requests) => options.fetch(requests, 'background'),
      onReadFailure,
    );
  }

  async function postpone(backlog: DeferredBacklog, row: DeferredRow & { attempts: number }): Promise<void> {
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

function keyOf({ kind, id }: DeferredBacklog): string {
  return `${kind} ${id}`;
}

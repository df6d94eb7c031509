import { BlocksGone, type ChainClient } from '../../chains/chainClient.ts';
import type { Block, Header } from '../../model/block.ts';
import { createPacer } from './createPacer.ts';
import { createPrefetcher } from './createPrefetcher.ts';
import { untilAborted } from './untilAborted.ts';

/** The events of a chain, in order. */
export type ChainMessage =
  /** New blocks of the chain, oldest first: one at its head, several when catching up. */
  | { type: 'blocks'; blocks: readonly Block[] }
  /** Blocks that are no longer part of the chain: everything above `to`, newest first, and the blocks that replace them so far. */
  | { type: 'retract'; to: Header | undefined; dropped: readonly Header[]; added: readonly Header[] }
  /** Blocks from `first` to `last` that no node keeps any more: they stay unseen. */
  | { type: 'gap'; first: number; last: number }
  /** Blocks up to this one can no longer be reorganised. */
  | { type: 'finalize'; final: number };

type Options = {
  client: ChainClient;
  /** Blocks that were processed before, oldest first. */
  recent: readonly Header[];
  /** First block when nothing was processed yet; undefined: `startAt` of the newest block. */
  startBlock: number | undefined;
  startAt?: (latest: number) => number;
  blockTimeMs: number;
  confirmations: number;
  now: () => number;
  /** Called when reading from the nodes fails; it is retried. */
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/** Follows a chain block by block along parent hashes, through gaps, failing nodes and reorganisations, until the signal. */
export async function* followChain(options: Options): AsyncGenerator<ChainMessage> {
  const { client, signal, onError } = options;
  const processed: Header[] = [...options.recent];
  const prefetcher = createPrefetcher(client);
  const pacer = createPacer(options);
  const finality = createFinalityTracker(options);
  const abortable = <T>(work: Promise<T>) => untilAborted(work, signal);
  const lastRecent = processed.at(-1);
  let next = lastRecent ? lastRecent.number + 1 : options.startBlock;
  try {
    while (!signal.aborted) {
      try {
        if (next === undefined || pacer.mayBeBehind(next)) {
          const latest = await abortable(client.header('latest'));
          pacer.headPolled();
          if (latest) next ??= options.startAt?.(latest.number) ?? latest.number;
        }
        if (next === undefined) {
          await pacer.backOff();
          continue;
        }
        await pacer.wait(next);
        const tip = processed.at(-1);
        const blocks = await abortable(prefetcher.take(next, tip?.hash, pacer.isAnnounced(next)));
        const first = blocks[0];
        const height: number | undefined = first
          ? next
          : pacer.shouldCheckReorg()
            ? await abortable(reorgHeight(tip))
            : undefined;
        if (tip && height !== undefined && first?.parentHash !== tip.hash) {
          prefetcher.clear();
          const message = await abortable(findFork(client, processed, height));
          if (!message) {
            // The nodes disagree for a moment; most of them still have our branch.
            pacer.missed();
            continue;
          }
          yield message;
          const { to } = message;
          next = to ? to.number + 1 : (processed[0]?.number ?? next);
          processed.length = to ? processed.indexOf(to) + 1 : 0;
          pacer.rewound(next - 1);
          continue;
        }
        if (!first) {
          pacer.missed();
          continue;
        }
        pacer.received(blocks);
        yield { type: 'blocks', blocks };
        processed.push(...blocks.map(toHeader));
        const newest = blocks.at(-1) ?? first;
        next = newest.number + 1;
        const final = await abortable(finality.next(newest.number));
        if (final !== undefined) {
          yield { type: 'finalize', final };
          const newestFinal = processed.findLastIndex(({ number }) => number <= final);
          processed.splice(0, Math.max(0, newestFinal));
        }
      } catch (error) {
        prefetcher.clear();
        if (signal.aborted) return;
        if (error instanceof BlocksGone && next !== undefined && error.oldest > next) {
          yield { type: 'gap', first: next, last: error.oldest - 1 };
          // Nothing that comes goes on from what was.
          processed.length = 0;
          next = error.oldest;
          pacer.rewound(next - 1);
          continue;
        }
        onError(error);
        await pacer.backOff();
      }
    }
  } finally {
    pacer.stop();
    prefetcher.clear();
  }

  /** The height of a chain that was reorganised without growing: it is not above ours, and its newest block is not ours. */
  async function reorgHeight(tip: Header | undefined): Promise<number | undefined> {
    const latest = await client.header('latest');
    if (!tip || !latest || latest.number > tip.number) return undefined;
    const [oldest] = processed;
    const isOurs = processed.some(({ hash }) => hash === latest.hash);
    // A block older than all of ours proves nothing.
    return isOurs || (oldest && latest.number < oldest.number) ? undefined : latest.number;
  }
}

const finalityPollMs = 15_000;
const finalityPollBlocks = 32;
/** Blocks on top of one that counts as final on a chain whose nodes report no finality. */
const minFinalDepth = 64;

function createFinalityTracker({ client, confirmations, now }: Options) {
  let polledAt = 0;
  let polledTip = Number.NEGATIVE_INFINITY;
  let newestFinal = -1;
  let isSupported = true;
  return {
    /** The final height when it has risen; polled rarely, because it rises slowly. */
    async next(tip: number): Promise<number | undefined> {
      if (now() < polledAt + finalityPollMs || tip < polledTip + finalityPollBlocks) return undefined;
      polledAt = now();
      polledTip = tip;
      const header = isSupported ? await client.header('finalized') : null;
      isSupported = header !== null;
      const depth = header ? confirmations : Math.max(minFinalDepth, 2 * confirmations);
      const final = Math.min(header?.number ?? tip, tip - depth);
      if (final <= newestFinal) return undefined;
      newestFinal = final;
      return final;
    },
  };
}

function toHeader({ number, hash, parentHash, timestamp }: Block): Header {
  return { number, hash, parentHash, timestamp };
}

/**
 * Descends from the chain's height to the newest block that the chain and our own blocks share; undefined when they agree at
 * the top, or when the nodes disagree.
 */
async function findFork(
  client: ChainClient,
  ourHeaders: readonly Header[],
  height: number,
): Promise<Extract<ChainMessage, { type: 'retract' }> | undefined> {
  const dropped: Header[] = [];
  const added: Header[] = [];
  for (const ours of ourHeaders.toReversed()) {
    const theirs = ours.number > height ? undefined : await client.header(ours.number);
    if (theirs === null) return undefined;
    if (theirs?.hash === ours.hash)
      return dropped.length === 0
        ? undefined
        : { type: 'retract', to: ours, dropped, added: added.reverse() };
    dropped.push(ours);
    // One block answers for several of ours where the new branch skips numbers.
    if (theirs && added.at(-1)?.hash !== theirs.hash) added.push(theirs);
  }
  // Deeper than the stored blocks: all of them are dropped and the chain is followed again from there.
  return { type: 'retract', to: undefined, dropped, added: added.reverse() };
}

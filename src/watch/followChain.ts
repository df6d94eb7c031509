import type { ChainClient } from '../chains/chainClient.ts';
import type { Block, Header } from '../model/block.ts';
import { createPacer } from './createPacer.ts';
import { createPrefetcher } from './createPrefetcher.ts';
import { untilAborted } from './untilAborted.ts';

/** What happens to a chain, in order. */
export type ChainMessage =
  /** The chain went on by these blocks, oldest first: one at its head, several when there is something to catch up with. */
  | { type: 'blocks'; blocks: readonly Block[] }
  /** Blocks are no longer part of the chain: everything above `to`, newest first, and what stands in their place so far. */
  | { type: 'retract'; to: Header | undefined; dropped: readonly Header[]; added: readonly Header[] }
  /** Blocks up to this one will not be reorganised any more. */
  | { type: 'finalize'; final: number };

type Options = {
  client: ChainClient;
  /** Blocks that were processed before, oldest first. */
  recent: readonly Header[];
  /** Where to begin when nothing was processed yet; the newest block unless given. */
  startBlock: number | undefined;
  blockTimeMs: number;
  confirmations: number;
  now: () => number;
  /** Told when the nodes fail and when they answer again. */
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/** Follows a chain block by block along parent hashes, through gaps, failing nodes and reorganisations, until it is stopped. */
export async function* followChain(options: Options): AsyncGenerator<ChainMessage> {
  const { client, signal, onError } = options;
  const processed: Header[] = [...options.recent];
  const lookahead = createPrefetcher(client);
  const pace = createPacer(options);
  const finality = createFinalityTracker(options);
  const abortable = <T>(work: Promise<T>) => untilAborted(work, signal);
  let next = processed.length > 0 ? processed.at(-1)!.number + 1 : options.startBlock;
  try {
    while (!signal.aborted) {
      try {
        if (next === undefined || pace.mayBeBehind(next)) {
          const latest = await abortable(client.header('latest'));
          pace.headPolled();
          next ??= latest?.number;
        }
        if (next === undefined) {
          await pace.backOff();
          continue;
        }
        await pace.wait(next);
        const tip = processed.at(-1);
        const blocks = await abortable(lookahead.take(next, tip?.hash));
        const first = blocks[0];
        const height: number | undefined = first
          ? next
          : pace.shouldCheckReorg()
            ? await abortable(reorgHeight(tip))
            : undefined;
        if (tip && height !== undefined && first?.parentHash !== tip.hash) {
          lookahead.clear();
          const message = await abortable(findFork(client, processed, height));
          if (!message) {
            // The nodes disagree for a moment; ours is still the one that most of them have.
            pace.missed();
            continue;
          }
          yield message;
          next = message.to ? message.to.number + 1 : processed[0]!.number;
          processed.length = message.to ? processed.indexOf(message.to) + 1 : 0;
          pace.rewound(next - 1);
          continue;
        }
        if (!first) {
          pace.missed();
          continue;
        }
        pace.received(blocks);
        yield { type: 'blocks', blocks };
        processed.push(...blocks.map(toHeader));
        next = processed.at(-1)!.number + 1;
        const final = await abortable(finality.next(processed.at(-1)!.number));
        if (final !== undefined) {
          yield { type: 'finalize', final };
          processed.splice(
            0,
            Math.max(
              0,
              processed.findLastIndex(({ number }) => number <= final),
            ),
          );
        }
      } catch (error) {
        lookahead.clear();
        if (signal.aborted) return;
        onError(error);
        await pace.backOff();
      }
    }
  } finally {
    pace.stop();
    lookahead.clear();
  }

  /** The height of the chain when that is not above ours and its newest block is not ours: it was reorganised without growing. */
  async function reorgHeight(tip: Header | undefined): Promise<number | undefined> {
    const latest = await client.header('latest');
    if (!tip || !latest || latest.number > tip.number) return undefined;
    const isOurs = processed.every(({ number, hash }) => number !== latest.number || hash === latest.hash);
    return isOurs ? undefined : latest.number;
  }
}

function createFinalityTracker({ client, confirmations, now }: Options) {
  let askedAt = 0;
  let askedTip = Number.NEGATIVE_INFINITY;
  let known = -1;
  let isSupported = true;
  return {
    /** The final height when it has risen; asked for now and then, because it rises slowly. */
    async next(tip: number): Promise<number | undefined> {
      if (now() < askedAt + 15_000 || tip < askedTip + 32) return undefined;
      askedAt = now();
      askedTip = tip;
      const header = isSupported ? await client.header('finalized') : null;
      isSupported = header !== null;
      const depth = header ? confirmations : Math.max(64, 2 * confirmations);
      const final = Math.min(header?.number ?? tip, tip - depth);
      if (final <= known) return undefined;
      known = final;
      return final;
    },
  };
}

function toHeader({ number, hash, parentHash, timestamp }: Block): Header {
  return { number, hash, parentHash, timestamp };
}

/**
 * Goes down from the chain's height until the chain and our own blocks agree; undefined when they agree at the top, or when
 * the nodes are not of one mind.
 */
async function findFork(
  client: ChainClient,
  own: readonly Header[],
  height: number,
): Promise<Extract<ChainMessage, { type: 'retract' }> | undefined> {
  const dropped: Header[] = [];
  const added: Header[] = [];
  for (const ours of own.toReversed()) {
    const theirs = ours.number > height ? undefined : await client.header(ours.number);
    if (theirs === null) return undefined;
    if (theirs?.hash === ours.hash)
      return dropped.length === 0
        ? undefined
        : { type: 'retract', to: ours, dropped, added: added.reverse() };
    dropped.push(ours);
    if (theirs) added.push(theirs);
  }
  // Deeper than anything that was kept: all of it goes, and is followed anew.
  return { type: 'retract', to: undefined, dropped, added: added.reverse() };
}

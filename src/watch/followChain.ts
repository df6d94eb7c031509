import type { ChainClient } from '../chains/chainClient.ts';
import type { Block, Header } from '../model/block.ts';
import { createLookahead } from './lookahead.ts';
import { createPace } from './pace.ts';

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
  onTrouble: (error: unknown) => void;
  signal: AbortSignal;
};

/** Follows a chain block by block along parent hashes, through gaps, failing nodes and reorganisations, until it is stopped. */
export async function* followChain(options: Options): AsyncGenerator<ChainMessage> {
  const { client, signal, now, onTrouble } = options;
  const own: Header[] = [...options.recent];
  const lookahead = createLookahead(client);
  const pace = createPace(options);
  const finality = createFinality(options);
  let next = own.length > 0 ? own.at(-1)!.number + 1 : options.startBlock;
  try {
    while (!signal.aborted) {
      try {
        next ??= (await client.header('latest'))?.number;
        if (next === undefined) {
          await pace.wait();
          continue;
        }
        const tip = own.at(-1);
        const blocks = await lookahead.take(next, tip?.hash);
        const first = blocks[0];
        const isFork = first
          ? tip && first.parentHash !== tip.hash
          : pace.shouldCompare() && (await hasLeft(tip));
        if (tip && isFork) {
          lookahead.forget();
          const message = await findFork(client, own);
          if (!message) {
            // The nodes disagree for a moment; ours is still the one that most of them have.
            await pace.wait();
            continue;
          }
          yield message;
          own.length = message.to ? own.indexOf(message.to) + 1 : 0;
          next = message.to ? message.to.number + 1 : message.added.at(-1)!.number;
          continue;
        }
        if (!first) {
          await pace.wait();
          continue;
        }
        pace.seen(blocks.at(-1)!);
        yield { type: 'blocks', blocks };
        own.push(...blocks.map(toHeader));
        next = own.at(-1)!.number + 1;
        const final = await finality.next(own.at(-1)!.number);
        if (final !== undefined) {
          yield { type: 'finalize', final };
          own.splice(
            0,
            Math.max(
              0,
              own.findLastIndex(({ number }) => number <= final),
            ),
          );
        }
      } catch (error) {
        lookahead.forget();
        onTrouble(error);
        await pace.backOff();
      }
    }
  } finally {
    pace.stop();
    lookahead.forget();
  }

  /** Whether the chain's newest block is not above ours and not ours either: it was reorganised without growing. */
  async function hasLeft(tip: Header | undefined): Promise<boolean> {
    await client.compare();
    const latest = await client.header('latest');
    if (!tip || !latest || latest.number > tip.number) return false;
    return own.some(({ number, hash }) => number === latest.number && hash !== latest.hash);
  }

  function createFinality({ confirmations }: Options) {
    let askedAt = 0;
    let known = -1;
    let isSupported = true;
    return {
      /** The final height when it has risen; asked for now and then, because it rises slowly. */
      async next(tip: number): Promise<number | undefined> {
        if (now() < askedAt + 15_000) return undefined;
        askedAt = now();
        const header = isSupported ? await client.header('finalized').catch(() => null) : null;
        isSupported &&= header !== null;
        const final = Math.min(header?.number ?? tip - Math.max(64, 2 * confirmations), tip);
        if (final <= known) return undefined;
        known = final;
        return final;
      },
    };
  }
}

function toHeader({ number, hash, parentHash, timestamp }: Block): Header {
  return { number, hash, parentHash, timestamp };
}

/** Goes down until the chain and our own blocks agree; undefined when they agree at the top. */
async function findFork(
  client: ChainClient,
  own: readonly Header[],
): Promise<Extract<ChainMessage, { type: 'retract' }> | undefined> {
  const dropped: Header[] = [];
  const added: Header[] = [];
  for (const ours of own.toReversed()) {
    const theirs = await client.header(ours.number);
    if (theirs?.hash === ours.hash)
      return dropped.length === 0
        ? undefined
        : { type: 'retract', to: ours, dropped, added: added.reverse() };
    dropped.push(ours);
    if (theirs) added.push(theirs);
  }
  // Deeper than anything that was kept: all of it goes, and the chain is followed anew from there.
  return {
    type: 'retract',
    to: undefined,
    dropped,
    added: added.length > 0 ? added.reverse() : [dropped.at(-1)!],
  };
}

import type { ChainClient } from '../../chains/chainClient.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import { createSubscriptionIndex } from '../../matching/createSubscriptionIndex.ts';
import { evaluateMatches, type SubscriberState } from '../../matching/evaluateMatches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Block } from '../../model/block.ts';

type Rebuilt = {
  state: SubscriberState | undefined;
  /** The blocks that it was shown. */
  blocks: number;
  /** True if they cover the whole of its lookback. */
  isWhole: boolean;
  fault?: string;
};

/**
 * Rebuilds a detector's state before a block from the blocks of its lookback, starting without state. A detector that
 * only compares with the last poll needs one block.
 */
export async function rebuildState(
  client: ChainClient,
  fetch: Fetch,
  subscriber: Subscriber,
  before: Block,
): Promise<Rebuilt> {
  const { blocks, isWhole } = await fetchBefore(client, before, subscriber.lookbackMs ?? 0);
  const index = createSubscriptionIndex();
  index.add(subscriber);
  let state: SubscriberState | undefined;
  let previous: Block | undefined;
  for (const fetched of blocks) {
    const block = (await client.detail?.(fetched, index)) ?? fetched;
    const { states, faults } = await evaluateMatches(index.match(block, previous), () => state, fetch);
    const [fault] = faults;
    if (fault) return { state: undefined, blocks: blocks.length, isWhole, fault: fault.message };
    state = states.get(subscriber) ?? state;
    previous = block;
  }
  return { state, blocks: blocks.length, isWhole };
}

/** More would keep the caller waiting; an hour of Ethereum has as many. */
const maxBlocks = 300;
const timeLimitMs = 15_000;
const atOnce = 10;

/** The blocks before one, the oldest first, back to a time. */
async function fetchBefore(client: ChainClient, { number, timestamp }: Block, lookbackMs: number) {
  const blocks: Block[] = [];
  const startedAt = performance.now();
  const since = timestamp - lookbackMs;
  for (let last = number - 1; last >= 0; last -= atOnce) {
    const count = Math.min(lookbackMs === 0 ? 1 : atOnce, last + 1);
    const fetched = await Promise.all(Array.from({ length: count }, (_, n) => client.block(last - n)));
    for (const block of fetched) {
      // A block in between that no node has would make a gap of what comes before it.
      if (!block) return { blocks, isWhole: false };
      // A skipped number: the block after it is there already.
      if (block.number >= (blocks[0]?.number ?? number)) continue;
      if (blocks.length > 0 && block.timestamp < since) return { blocks, isWhole: true };
      blocks.unshift(block);
      if (lookbackMs === 0) return { blocks, isWhole: true };
    }
    if (blocks.length >= maxBlocks || performance.now() - startedAt > timeLimitMs)
      return { blocks, isWhole: false };
  }
  return { blocks, isWhole: true };
}

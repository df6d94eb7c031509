import type { ChainClient } from '../../chains/chainClient.ts';
import type { Block } from '../../model/block.ts';

/** Blocks that are fetched concurrently while catching up. */
const maxInFlight = 16;
/** Blocks that are processed together, so that a transaction stays small. */
const maxBatch = 16;

type PendingBlock = { promise: Promise<Block | null>; block?: Block | null };

/** Fetches blocks ahead, up to the known head, while earlier ones are processed. */
export function createPrefetcher(client: ChainClient) {
  let pending = new Map<number, PendingBlock>();

  function fetch(number: number, parentHash?: string, isAnnounced?: boolean): PendingBlock {
    const promise = client.block(number, parentHash, isAnnounced);
    const entry: PendingBlock = { promise };
    promise.then(
      (block) => {
        entry.block = block;
      },
      // `take` awaits the promise and gets the failure.
      () => {},
    );
    return entry;
  }

  function fill(from: number): void {
    const last = Math.min(client.head(), from + maxInFlight - 1);
    for (let number = from; number <= last; number++) {
      if (!pending.has(number)) pending.set(number, fetch(number));
    }
  }

  /** On chains that skip numbers, several numbers lead to the same block. */
  function dropUpTo(last: number): void {
    for (const number of pending.keys()) if (number <= last) pending.delete(number);
  }

  return {
    /** The block and those after it that are fetched already and form a chain; none when there is no such block. */
    async take(number: number, parentHash: string | undefined, isAnnounced?: boolean): Promise<Block[]> {
      fill(number + 1);
      let first = await (pending.get(number) ?? fetch(number, parentHash, isAnnounced)).promise;
      // It was prefetched from any node; when it does not continue the chain, another node's block may.
      if (first && pending.has(number) && parentHash !== undefined && first.parentHash !== parentHash)
        first = await fetch(number, parentHash).promise;
      pending.delete(number);
      if (!first) return [];
      dropUpTo(first.number);
      const blocks = [first];
      let last = first;
      while (blocks.length < maxBatch) {
        const following = pending.get(last.number + 1)?.block;
        if (!following || following.parentHash !== last.hash) break;
        dropUpTo(following.number);
        blocks.push(following);
        last = following;
      }
      fill(last.number + 1);
      return blocks;
    },
    clear(): void {
      pending = new Map();
    },
  };
}

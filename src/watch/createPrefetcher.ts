import type { ChainClient } from '../chains/chainClient.ts';
import type { Block } from '../model/block.ts';

/** Blocks on their way at the same time when there is something to catch up with. */
const maxInFlight = 16;
/** Blocks handed over together at most, so that a step stays small. */
const maxBatch = 16;

type Coming = { promise: Promise<Block | null>; block?: Block | null };

/** Fetches the blocks after the wanted one while that is being worked on, as far as the chain is known to go. */
export function createPrefetcher(client: ChainClient) {
  let coming = new Map<number, Coming>();

  function fetch(number: number, parentHash?: string): Coming {
    const promise = client.block(number, parentHash);
    const entry: Coming = { promise };
    promise.then(
      (block) => {
        entry.block = block;
      },
      // Whoever takes it hears of the failure.
      () => {},
    );
    return entry;
  }

  function fill(from: number): void {
    const last = Math.min(client.head(), from + maxInFlight - 1);
    for (let number = from; number <= last; number++) {
      if (!coming.has(number)) coming.set(number, fetch(number));
    }
  }

  return {
    /** The wanted block and those after it that are here already and follow each other; none when there is no such block. */
    async take(number: number, parentHash: string | undefined): Promise<Block[]> {
      fill(number + 1);
      let first = await (coming.get(number) ?? fetch(number, parentHash)).promise;
      // Fetched ahead it came from whichever node was asked; when it does not fit, another node's may.
      if (first && coming.has(number) && parentHash !== undefined && first.parentHash !== parentHash)
        first = await fetch(number, parentHash).promise;
      coming.delete(number);
      if (!first) return [];
      const blocks = [first];
      while (blocks.length < maxBatch) {
        const following = coming.get(blocks.at(-1)!.number + 1)?.block;
        if (!following || following.parentHash !== blocks.at(-1)!.hash) break;
        coming.delete(following.number);
        blocks.push(following);
      }
      fill(blocks.at(-1)!.number + 1);
      return blocks;
    },
    clear(): void {
      coming = new Map();
    },
  };
}

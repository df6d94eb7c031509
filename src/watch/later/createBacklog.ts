import { BlockUnavailable } from '../../chains/chainClient.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { OnReadFailure } from '../../matching/evaluateMatches.ts';
import type { Block, BlockRef } from '../../model/block.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';

/** A stored row of something that waits for a block or for what is read at it. */
type WaitingRow = { attempts: number; createdAt: number };

const maxCachedBlocks = 8;
const maxDelayMs = 60_000;
/** Failing reads are repeated for this long. The alert is raised as incomplete then, because later blocks wait as well. */
const defaultReadWaitMs = 120_000;

/** Rows that wait to be evaluated beside the chain: their blocks, and the times of their attempts. */
export function createBacklog({
  readBlock,
  readWaitMs = defaultReadWaitMs,
  now,
}: Pick<PipelineContext, 'readBlock' | 'readWaitMs' | 'now'>) {
  const blocks = createBoundedMap<string, Block>(maxCachedBlocks);

  return {
    /** Saves reading a block again that was just processed. */
    cacheBlock(block: Block): void {
      blocks.set(block.hash, block);
    },
    async readBlock({ number, hash }: BlockRef): Promise<Block> {
      const cached = blocks.get(hash);
      if (cached) return cached;
      const block = await readBlock(number);
      if (block?.hash !== hash) throw new BlockUnavailable(`Block ${number} is not ${hash} at the moment.`);
      blocks.set(hash, block);
      return block;
    },
    /** Time of the next attempt: after 1, 2, 4 … seconds. */
    nextAttemptAt: ({ attempts }: Pick<WaitingRow, 'attempts'>, limitMs = maxDelayMs): number =>
      now() + Math.min(limitMs, 1000 * 2 ** attempts),
    onReadFailure: ({ createdAt }: Pick<WaitingRow, 'createdAt'>): OnReadFailure =>
      now() - createdAt >= readWaitMs ? 'degrade' : 'defer',
  };
}

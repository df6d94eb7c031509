import type { Block } from '../../model/block.ts';

/** Transactions and logs of the blocks that are kept: some thirty of a busy chain, which take as many megabytes. */
const maxItems = 20_000;

/** The blocks that were read last, for work that comes back to them soon. */
export function createRecentBlocks() {
  const blocks = new Map<number, Block>();
  let items = 0;

  function drop(number: number): void {
    const block = blocks.get(number);
    if (!block) return;
    blocks.delete(number);
    items -= sizeOf(block);
  }

  return {
    add(block: Block): void {
      drop(block.number);
      blocks.set(block.number, block);
      items += sizeOf(block);
      for (const number of blocks.keys()) {
        if (items <= maxItems) return;
        drop(number);
      }
    },
    get: (number: number): Block | undefined => blocks.get(number),
    /** Forgets what a reorganisation drops. */
    rewind(to: number): void {
      for (const number of blocks.keys()) if (number > to) drop(number);
    },
  };
}

const sizeOf = ({ transactions, logs }: Block): number => 1 + transactions.length + logs.length;

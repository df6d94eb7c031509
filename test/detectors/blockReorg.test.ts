import { describe, expect, it } from 'vitest';
import type { BlockRef } from '../../src/model/block.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const refs = (from: number, count: number, mark: string): BlockRef[] =>
  Array.from({ length: count }, (_, place) => ({ number: from + place, hash: `0x${mark}${from + place}` }));

async function watch(config = {}) {
  const [address] = chain.anvil.accounts;
  return chain.watch('block_reorg', config, { address });
}

describe('block_reorg', () => {
  it('reports which blocks of the chain were dropped and which came instead', async () => {
    const { anvil } = chain;
    await anvil.mine(3);
    const observer = await watch();
    const [before, head] = [await anvil.block(2n), await anvil.block(3n)];
    await anvil.reorg(2);
    const after = await anvil.block(3n);
    expect(after.hash).not.toBe(head.hash);
    const dropped = [before, head].map(({ number, hash }) => ({ number: Number(number), hash }));
    const added = [{ number: 3, hash: after.hash }];
    const found = await observer.reorg([...dropped].reverse(), added);
    expect(found).toMatchObject([
      {
        severity: 'MEDIUM',
        message: 'The chain anvil dropped the 2 blocks 2 to 3 and went on with another.',
        meta: {
          depth: 2,
          firstBlock: 2,
          lastBlock: 3,
          dropped: [before.hash, head.hash],
          added: [after.hash],
        },
      },
    ]);
  });

  it.each([
    [1, 'LOW'],
    [2, 'MEDIUM'],
    [5, 'MEDIUM'],
    [6, 'HIGH'],
    [31, 'HIGH'],
    [32, 'CRITICAL'],
  ])('judges %i dropped blocks as %s', async (depth, severity) => {
    const observer = await watch();
    expect(await observer.reorg(refs(10, depth, 'a'), refs(10, depth, 'b'))).toMatchObject([{ severity }]);
  });

  it('keeps quiet below the least depth', async () => {
    const observer = await watch({ minDepth: 3 });
    expect(await observer.reorg(refs(10, 2, 'a'), refs(10, 3, 'b'))).toEqual([]);
    expect(await observer.reorg(refs(10, 3, 'a'), refs(10, 3, 'b'))).toHaveLength(1);
  });

  it('refuses a depth of nothing', async () => {
    await expect(watch({ minDepth: 0 })).rejects.toThrow('/minDepth must be at least 1');
  });
});

import { describe, expect, it } from 'vitest';
import { observeDetector } from '../../testing/observeDetector.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();

async function setUp(config = {}) {
  const { anvil } = chain;
  const [address] = anvil.accounts;
  const observer = await chain.watch('chain_halt', config, { address });
  await anvil.mine();
  expect(await observer.catchUp()).toEqual([]);
  const newest = await anvil.block();
  return { observer, number: Number(newest.number), at: Number(newest.timestamp) * 1000 };
}

describe('chain_halt', () => {
  it('reports once when no block has come for too long, and once when blocks come again', async () => {
    const { observer, number, at } = await setUp();
    expect(await observer.clock(at + 60_000)).toEqual([]);
    expect(await observer.clock(at + 75_000)).toMatchObject([
      {
        severity: 'HIGH',
        message: `The chain anvil has had no new block for 75 seconds; the last one is ${number}.`,
        meta: { newestBlock: number, silentSeconds: 75 },
      },
    ]);
    expect(await observer.clock(at + 90_000)).toEqual([]);
    await chain.anvil.setTime(at / 1000 + 95);
    await chain.anvil.mine();
    await observer.catchUp();
    expect(await observer.clock(at + 105_000)).toMatchObject([
      { severity: 'INFO', meta: { newestBlock: number + 1 } },
    ]);
    expect(await observer.clock(at + 120_000)).toEqual([]);
  });

  it('waits for a multiple of the block time where that is longer', async () => {
    // Anvil has a block time of a second.
    const { observer, at } = await setUp({ factor: 100, atLeast: '10 s' });
    expect(await observer.clock(at + 100_000)).toEqual([]);
    expect(await observer.clock(at + 126_000)).toHaveLength(1);
  });

  it('keeps quiet before any block is known', async () => {
    const [address] = chain.anvil.accounts;
    const observer = await observeDetector(chain.anvil.url, 'chain_halt', {}, { address });
    expect(await observer.clock(Date.now())).toEqual([]);
    await observer.close();
  });

  it('refuses a factor that every block would exceed', async () => {
    await expect(setUp({ factor: 1 })).rejects.toThrow('/factor must be at least 2');
  });
});

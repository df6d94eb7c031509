import { describe, expect, it } from 'vitest';
import { createSimChain } from '../../../testing/simulator/createSimChain.ts';
import type { Faults } from '../../../testing/simulator/faults.ts';
import { startSimulator } from '../../../testing/simulator/startSimulator.ts';
import type { ChainClient } from '../../chains/chainClient.ts';
import { chains } from '../../chains/chains.ts';
import { createEvmClient } from '../../chains/evm/createEvmClient.ts';
import type { Block } from '../../model/block.ts';
import { type ChainMessage, followChain } from './followChain.ts';

async function start(faults: Faults = {}) {
  const chain = createSimChain({ chainId: 42161 });
  const simulator = await startSimulator({ chain, faults });
  const client = createEvmClient({
    chain: chains.arbitrum,
    urls: [simulator.url],
    now: Date.now,
    onCall: () => {},
  });
  const stopping = new AbortController();
  const follow = (startBlock: number) =>
    followChain({
      client,
      recent: [],
      startBlock,
      blockTimeMs: 250,
      confirmations: 1,
      now: Date.now,
      onError: () => {},
      signal: stopping.signal,
    });
  const stop = async () => {
    stopping.abort();
    await client.close();
    await simulator.stop();
  };
  return { chain, simulator, client, stopping, follow, stop };
}

async function take(messages: AsyncGenerator<ChainMessage>): Promise<ChainMessage> {
  const { value } = await messages.next();
  return value as ChainMessage;
}

describe('following a chain', () => {
  it('ends at once when it is stopped, although the nodes hang', async () => {
    const { follow, stopping, stop } = await start({ hang: true });
    const messages = follow(0);
    const next = messages.next();
    setTimeout(() => stopping.abort(), 50);
    const startedAt = performance.now();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await stop();
  });

  it('restarts at the first block when a reorganisation goes deeper than anything it has', async () => {
    const { chain, follow, stop } = await start();
    chain.extend(5);
    const messages = follow(3);
    const seen: number[] = [];
    while (seen.at(-1) !== 5) {
      const message = await take(messages);
      if (message.type === 'blocks') seen.push(...message.blocks.map(({ number }) => number));
    }
    chain.fork(1, 6);
    let message = await take(messages);
    while (message.type !== 'retract') message = await take(messages);
    expect(message.to).toBeUndefined();
    expect(message.dropped.map(({ number }) => number)).toEqual([5, 4, 3]);
    const after = await take(messages);
    expect(after.type === 'blocks' && after.blocks[0]).toMatchObject({ number: 3, hash: chain.at(3)!.hash });
    await messages.return(undefined);
    await stop();
  });

  it('does not take a node that lacks a block for a reorganisation', async () => {
    const { chain, simulator, follow, stop } = await start();
    chain.extend(20);
    const messages = follow(1);
    for (let tip = 0; tip < 20; ) {
      const message = await take(messages);
      if (message.type === 'blocks') tip = message.blocks.at(-1)!.number;
    }
    simulator.setFaults({ stuckAt: 10 });
    setTimeout(() => {
      simulator.setFaults({});
      chain.extend(1);
    }, 1500);
    let message = await take(messages);
    while (message.type === 'finalize') message = await take(messages);
    expect(message).toMatchObject({ type: 'blocks', blocks: [{ number: 21 }] });
    await messages.return(undefined);
    await stop();
  });

  it('passes skipped numbers, and finds the fork where the new branch skips what ours has', async () => {
    type Own = Pick<Block, 'number' | 'hash' | 'parentHash' | 'timestamp'>;
    let branch: Own[] = [];
    const grow = (parentHash: string, ...blocks: [number, string][]) => {
      for (const [number, hash] of blocks) {
        branch = [...branch, { number, hash, parentHash, timestamp: number }];
        parentHash = hash;
      }
    };
    const at = async (number: number) => branch.find((one) => one.number >= number) ?? null;
    const stopping = new AbortController();
    const client = {
      block: at,
      header: async (which: number | string) =>
        which === 'finalized' ? null : typeof which === 'number' ? at(which) : branch.at(-1),
      head: () => branch.at(-1)?.number ?? -1,
      onHead: () => ({ appeared: () => {}, stop: () => {} }),
    } as unknown as ChainClient;
    grow('-', [1, 'a1'], [2, 'a2'], [5, 'a5'], [6, 'a6']);
    const messages = followChain({
      client,
      recent: [],
      startBlock: 1,
      blockTimeMs: 20,
      confirmations: 1,
      now: Date.now,
      onError: (error) => {
        throw error;
      },
      signal: stopping.signal,
    });
    const seen: string[] = [];
    const next = async () => {
      const message = await take(messages);
      if (message.type === 'blocks') seen.push(...message.blocks.map(({ hash }) => hash));
      if (message.type === 'retract')
        seen.push(`back to ${message.to?.hash}, new ${message.added.map(({ hash }) => hash).join()}`);
    };
    while (seen.at(-1) !== 'a6') await next();
    branch = branch.slice(0, 2);
    grow('a2', [4, 'b4'], [9, 'b9']);
    while (seen.at(-1) !== 'b9') await next();
    expect(seen).toEqual(['a1', 'a2', 'a5', 'a6', 'back to a2, new b9', 'b4', 'b9']);
    stopping.abort();
  });
});

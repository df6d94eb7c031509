import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChainClient } from '../../chains/chainClient.ts';
import type { Block } from '../../model/block.ts';
import { followChain } from './followChain.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

type Chain = {
  nominalMs: number;
  slotMs: number;
  /** How long after its slot begins a block is available. */
  delayMs: (random: () => number) => number;
  blocks?: number;
  /** Blocks have no slots: they carry the time at which they were found. */
  isLottery?: boolean;
  /** Share of slots without a block. */
  missedSlots?: number;
  /** The socket announces blocks until this one, and then falls silent. */
  silentAfter?: number;
};

const rttMs = 40;

/** A chain whose blocks become available at known times, followed on a simulated clock. */
async function simulate(chain: Chain, seed: number) {
  const { blocks = 400 } = chain;
  const random = createRandom(seed);
  const start = Date.now();
  const available: { at: number; timestamp: number }[] = [];
  for (let slot = 0; available.length < blocks; slot++) {
    if (random() < (chain.missedSlots ?? 0)) continue;
    const begin = start + slot * chain.slotMs;
    const at = begin + chain.delayMs(random);
    available.push({ timestamp: Math.floor((chain.isLottery ? at : begin) / 1000) * 1000, at });
  }
  /** The blocks that were said to have appeared without an announcement. */
  const appeared: number[] = [];
  let calls = 0;
  let head = -1;
  const has = (number: number) => number < available.length && available[number]!.at <= Date.now();
  const newest = () => available.findLastIndex(({ at }) => at <= Date.now());
  const toBlock = (number: number) => ({
    number,
    hash: `h${number}`,
    parentHash: `h${number - 1}`,
    timestamp: available[number]!.timestamp,
    receivedAt: Date.now(),
  });
  const ask = async <T>(read: () => T): Promise<T> => {
    calls++;
    await new Promise((resolve) => setTimeout(resolve, rttMs / 2));
    const answer = read();
    await new Promise((resolve) => setTimeout(resolve, rttMs / 2));
    return answer;
  };
  const client = {
    block: (number: number) =>
      ask(() => {
        if (!has(number)) return null;
        head = Math.max(head, number);
        return toBlock(number) as unknown as Block;
      }),
    header: () =>
      ask(() => {
        const number = newest();
        head = Math.max(head, number);
        return number < 0 ? null : toBlock(number);
      }),
    head: () => head,
    onHead: (listener: (number: number) => void) => {
      for (const [number, { at }] of available.entries())
        if (number < (chain.silentAfter ?? 0)) setTimeout(() => listener(number), at - start + 10);
      return { appeared: (number: number) => appeared.push(number), stop: () => {} };
    },
  } as unknown as ChainClient;
  const end = new AbortController();
  const found: number[] = [];
  const follow = async () => {
    const options = {
      client,
      recent: [],
      startBlock: 0,
      blockTimeMs: chain.nominalMs,
      confirmations: 1_000_000,
      now: () => Date.now(),
      onError: (error: unknown) => {
        throw error;
      },
      signal: end.signal,
    };
    for await (const message of followChain(options)) {
      if (message.type === 'blocks') for (const { number } of message.blocks) found[number] = Date.now();
      if (found.length === blocks) end.abort();
    }
  };
  const done = follow();
  while (found.length < blocks) await vi.advanceTimersByTimeAsync(1000);
  await done;
  // The first blocks teach the pace.
  const learned = 20;
  const latencies = found.slice(learned).map((at, index) => at - available[index + learned]!.at);
  latencies.sort((one, other) => one - other);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!;
  return { median: at(0.5), p99: at(0.99), worst: at(1), calls: calls / blocks, found, available, appeared };
}

const steady = (least: number, spread: number) => (random: () => number) =>
  least + (spread * (random() + random() + random())) / 3;

describe('over HTTP alone, a block is found soon after it is available, with at most four calls a block', () => {
  it.each<[string, Chain]>([
    [
      '12 s slots, blocks 1 to 3 s into them',
      { nominalMs: 12_000, slotMs: 12_000, delayMs: steady(1000, 2000) },
    ],
    ['12 s slots with wide jitter', { nominalMs: 12_000, slotMs: 12_000, delayMs: steady(500, 4000) }],
    [
      '12 s slots, one in twenty empty',
      { nominalMs: 12_000, slotMs: 12_000, delayMs: steady(1000, 2000), missedSlots: 0.05 },
    ],
    ['blocks of 12 s that come every 2 s', { nominalMs: 12_000, slotMs: 2000, delayMs: steady(200, 500) }],
    ['2 s slots', { nominalMs: 2000, slotMs: 2000, delayMs: steady(200, 600) }],
    ['blocks of 2 s that come every 3 s', { nominalMs: 2000, slotMs: 3000, delayMs: steady(100, 400) }],
    [
      'blocks of 12 s that come every 15 s',
      { nominalMs: 12_000, slotMs: 15_000, delayMs: steady(200, 1500) },
    ],
    ['blocks of 2 s that come every second', { nominalMs: 2000, slotMs: 1000, delayMs: steady(100, 200) }],
    ['blocks of 12 s that come every 3 s', { nominalMs: 12_000, slotMs: 3000, delayMs: steady(200, 500) }],
    ['blocks of 12 s that come every second', { nominalMs: 12_000, slotMs: 1000, delayMs: steady(5, 60) }],
    ['250 ms blocks', { nominalMs: 250, slotMs: 250, delayMs: steady(20, 60) }],
  ])('%s', async (name, chain) => {
    const seed = 7;
    const { median, p99, worst, calls } = await simulate(chain, seed);
    process.stdout.write(
      `${name}: median ${median} ms, p99 ${p99} ms, worst ${worst} ms, ${calls.toFixed(1)} calls a block (seed ${seed})\n`,
    );
    expect(median).toBeLessThanOrEqual(500);
    expect(p99).toBeLessThanOrEqual(1500);
    expect(calls).toBeLessThanOrEqual(4);
  });

  it('blocks of 12 s that come every second are found within half a second', async () => {
    const { median, p99, calls } = await simulate(
      { nominalMs: 12_000, slotMs: 1000, delayMs: steady(5, 60) },
      7,
    );
    expect(median).toBeLessThanOrEqual(150);
    expect(p99).toBeLessThanOrEqual(500);
    expect(calls).toBeLessThanOrEqual(4);
  });

  it.each<[string, Chain]>([
    ['12 s slots', { nominalMs: 12_000, slotMs: 12_000, delayMs: steady(1000, 2000) }],
    ['2 s slots', { nominalMs: 2000, slotMs: 2000, delayMs: steady(200, 600) }],
    ['blocks of 12 s that come every 2 s', { nominalMs: 12_000, slotMs: 2000, delayMs: steady(200, 500) }],
    ['blocks of 2 s that come every 3 s', { nominalMs: 2000, slotMs: 3000, delayMs: steady(100, 400) }],
    ['irregular blocks', { nominalMs: 12_000, slotMs: 2000, delayMs: steady(0, 2000), missedSlots: 0.4 }],
  ])('a socket that falls silent is noticed within one block time: %s', async (name, chain) => {
    const { found, available, calls, appeared } = await simulate({ ...chain, silentAfter: 200 }, 11);
    const late = found.map((at, number) => at - available[number]!.at);
    const after = late.slice(201).sort((one, other) => one - other);
    const share = (of: number) => after[Math.floor(after.length * of)]!;
    process.stdout.write(
      `${name}: ${late[200]} ms at first, then median ${share(0.5)} ms, p99 ${share(0.99)} ms, ${calls.toFixed(1)} calls a block\n`,
    );
    expect(Math.max(...late.slice(20, 200))).toBeLessThan(200);
    expect(late[200]).toBeLessThanOrEqual(chain.slotMs * (chain.missedSlots ? 2 : 1));
    expect(share(0.5)).toBeLessThanOrEqual(chain.missedSlots ? 600 : 500);
    expect(share(0.99)).toBeLessThanOrEqual(1500);
    expect(calls).toBeLessThanOrEqual(4);
    expect(appeared).toContain(200);
  });
});

describe('chains that nodes announce no blocks of', () => {
  /** Times between blocks of Bitcoin vary as those of any lottery do. */
  const lottery = (meanMs: number) => {
    let ahead = 0;
    return (random: () => number) => {
      ahead += (-Math.log(1 - random()) - 1) * meanMs;
      return ahead + meanMs;
    };
  };

  // A block that is there, and one that is not there yet, take so many calls; so many a minute are in docs/chains.md.
  it.each<[string, Chain, { found: number; missed: number; most: number }]>([
    ['tron', { nominalMs: 3000, slotMs: 3000, delayMs: steady(100, 400) }, { found: 2, missed: 2, most: 80 }],
    [
      'bitcoin',
      { nominalMs: 600_000, slotMs: 600_000, delayMs: lottery(600_000), isLottery: true, blocks: 30 },
      { found: 2, missed: 1, most: 30 },
    ],
    [
      'stellar',
      { nominalMs: 5000, slotMs: 5800, delayMs: steady(100, 600) },
      { found: 1, missed: 1, most: 25 },
    ],
    [
      'vechain, without its socket',
      { nominalMs: 10_000, slotMs: 10_000, delayMs: steady(300, 1000) },
      { found: 1, missed: 1, most: 20 },
    ],
    [
      'solana, without its socket',
      { nominalMs: 400, slotMs: 400, delayMs: steady(20, 100) },
      { found: 2, missed: 2, most: 700 },
    ],
  ])('are asked no more often than the documents say: %s', async (name, chain, { found, missed, most }) => {
    const { calls, available } = await simulate(chain, 7);
    const minutes = (available.at(-1)!.at - available[0]!.at) / 60_000;
    const perMinute = (((calls - 1) * missed + found) * available.length) / minutes;
    process.stdout.write(
      `${name}: ${calls.toFixed(1)} reads a block, ${perMinute.toFixed(1)} calls a minute\n`,
    );
    expect(perMinute).toBeLessThanOrEqual(most);
  });
});

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

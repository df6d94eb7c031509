import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EndpointHealth } from '../../src/chains/chainClient.ts';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { followChain } from '../../src/watch/follow/followChain.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createSimChain, type SimChain } from '../../testing/simulator/createSimChain.ts';
import type { Faults } from '../../testing/simulator/faults.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { newOwner, token, transfer, vault } from './support/watchedWorld.ts';

const random = createRandom('endpoints');
const blocks = 20;

type Bad = {
  name: string;
  faults: Faults;
  state: EndpointHealth['state'];
  why: RegExp | undefined;
  ws?: true;
};

const bad: readonly Bad[] = [
  { name: 'dead', faults: { dead: true }, state: 'failing', why: /connection failed/ },
  { name: 'hanging', faults: { hang: true }, state: 'failing', why: /did not answer/ },
  {
    name: 'of another chain',
    faults: { wrongChainId: 5 },
    state: 'wrong-chain',
    why: /serves the chain 5 and not 40/,
  },
  { name: 'stuck', faults: { stuckAt: 2 }, state: 'stale', why: undefined },
  {
    name: 'without logs',
    faults: { missingLogs: true },
    state: 'failing',
    why: /logs of the block are missing/,
  },
  {
    name: 'with logs of another block',
    faults: { lyingLogs: 'otherBlock' },
    state: 'failing',
    why: /belongs to another block/,
  },
  {
    name: 'leaving out a log',
    faults: { lyingLogs: 'truncated' },
    state: 'failing',
    why: /do not fit its bloom/,
  },
  {
    name: 'inventing a log',
    faults: { lyingLogs: 'invented' },
    state: 'failing',
    why: /do not fit its bloom/,
  },
  { name: 'limiting', faults: { rateLimit: 1 }, state: 'failing', why: /status 429/ },
  { name: 'empty', faults: { emptyReply: true }, state: 'failing', why: /not JSON/ },
  { name: 'broken', faults: { badJson: true }, state: 'failing', why: /not JSON/ },
  { name: 'slow', faults: { latencyMs: 1500 }, state: 'ok', why: undefined },
  { name: 'empty over WebSocket', faults: { emptyReply: true }, state: 'failing', why: /not JSON/, ws: true },
  { name: 'broken over WebSocket', faults: { badJson: true }, state: 'failing', why: /not JSON/, ws: true },
  { name: 'limiting over WebSocket', faults: { rateLimit: 1 }, state: 'failing', why: /too many/, ws: true },
];

describe('endpoints', () => {
  it('misses no block and no log, stays within three blocks of the head and says what is wrong, whichever two of three endpoints fail or lie', async () => {
    const pace = await startPace();
    try {
      await Promise.all(bad.map((first, n) => followAmong(first, bad[(n + 4) % bad.length]!, pace)));
    } finally {
      await pace.stop();
    }
  });

  it('raises every alert while two of three fail, shows their state to administrators, and uses them again when they are mended', async () => {
    const chain = createSimChain({ chainId: 31337, seed: random.seed });
    const [dead, lying, honest] = await Promise.all(
      [{ dead: true }, { lyingLogs: 'truncated' as const }, {}].map((faults) =>
        startSimulator({ chain, faults }),
      ),
    );
    const urls = [dead!.url, lying!.url, honest!.url];
    const vigil = await startTestWatch({ anvil: { urls, startBlock: 1 } });
    const health = async (): Promise<Json[]> => {
      const { data } = await vigil.ok('GET', 'chain');
      return data.find(({ chainUid }: Json) => chainUid === 'anvil').endpoints;
    };
    try {
      const contractId = await vigil.addContract(token);
      await vigil.addDetector(contractId, 'ownership_change');
      vigil.watch();
      for (let n = 0; n < 30; n++) {
        chain.extend({ logs: [newOwner(random), ...someLogs()] });
        await sleep(60);
      }
      await vigil.reached('anvil', chain.head.number);
      const found = (await vigil.alerts('detectorId:*')).map(({ blockNumber }) => blockNumber);
      expect(found).toEqual(chain.blocks.slice(1).map(({ number }) => number));
      await until(async () => {
        const [first, second, third] = await health();
        return (
          first?.state === 'failing' &&
          /connection failed/.test(first.lastFault) &&
          second?.state === 'failing' &&
          /do not fit its bloom/.test(second.lastFault) &&
          third?.state === 'ok' &&
          third.head === chain.head.number
        );
      });
      const tenantToken = await vigil.token(vigil.tenantId, 'tenant-viewer');
      const seen = (await vigil.ok('GET', 'chain', undefined, { token: tenantToken })).data;
      expect(seen.find(({ chainUid }: Json) => chainUid === 'anvil').endpoints).toEqual([]);
      dead!.setFaults({});
      lying!.setFaults({});
      honest!.setFaults({ dead: true });
      chain.extend([{ logs: [newOwner(random)] }, { logs: [newOwner(random)] }]);
      await vigil.reached('anvil', chain.head.number);
      await until(async () => (await health()).map(({ state }) => state).join() === 'ok,ok,failing');
      expect(await vigil.alerts('detectorId:*')).toHaveLength(chain.head.number);
    } finally {
      await vigil.stop();
      await Promise.all([dead, lying, honest].map((simulator) => simulator!.stop()));
    }
  });

  it('makes two calls a block when a node announces its blocks, and next to none beside', async () => {
    const chain = createSimChain({ chainId: 31337, seed: random.seed });
    const simulators = await Promise.all([0, 1, 2].map(() => startSimulator({ chain })));
    const vigil = await startTestWatch({
      anvil: { urls: simulators.map(({ wsUrl }) => wsUrl), startBlock: 1 },
    });
    try {
      const contractId = await vigil.addContract(token);
      await vigil.addDetector(contractId, 'ownership_change');
      chain.extend(1);
      vigil.watch();
      await vigil.reached('anvil', 1);
      // Whatever belongs to the start is over when the contract was looked into.
      await sleep(2500);
      const count = 60;
      const run = async () => {
        const before = new Map(vigil.calls);
        for (let n = 0; n < count; n++) {
          chain.extend({ logs: [newOwner(random)] });
          await sleep(80);
        }
        await vigil.reached('anvil', chain.head.number);
        return new Map(
          Array.from(vigil.calls, ([method, calls]) => [method, calls - (before.get(method) ?? 0)]),
        );
      };
      let made = await run();
      let rounds = 1;
      // On a busy machine a slow answer is asked for at another endpoint, too: a quiet round counts.
      const isQuiet = () =>
        (made.get('eth_getBlockByNumber') ?? 0) <= count + 2 && sumOf(made) <= 2.1 * count;
      for (; !isQuiet() && rounds < 8; rounds++) made = await run();
      const served = simulators.reduce((sum, { calls }) => sum + (calls.get('eth_getLogs') ?? 0), 0);
      const all = sumOf(made);
      console.log(
        `SEED=${random.seed}: ${all / count} calls a block, ${JSON.stringify(Object.fromEntries(made))}`,
      );
      // Blocks that arrived while the machine was busy share a call.
      expect(made.get('eth_getLogs')).toBeLessThanOrEqual(count);
      expect(made.get('eth_getLogs')).toBeGreaterThan(count / 2);
      expect(served).toBe(vigil.calls.get('eth_getLogs'));
      expect(made.get('eth_getBlockByNumber')).toBeLessThanOrEqual(count + 2);
      expect(all / count).toBeLessThanOrEqual(2.2);
      expect(await vigil.alerts('detectorId:*')).toHaveLength(rounds * count);
    } finally {
      await vigil.stop();
      await Promise.all(simulators.map((simulator) => simulator.stop()));
    }
  });
});

const sumOf = (calls: ReadonlyMap<string, number>) => [...calls.values()].reduce((sum, n) => sum + n, 0);

type Pace = { next(): Promise<void>; stop(): Promise<void> };

/** A follower asks for new blocks twice in this time. */
const usualMs = 500;

/**
 * Half a second at a time, or longer where the machine is so busy that even a chain whose endpoints are all right is followed
 * slowly: the others have to ask up to three endpoints for what it asks one.
 */
async function startPace(): Promise<Pace> {
  const chain = createSimChain({ chainId: 40, seed: 1 });
  const servers = await Promise.all([0, 1, 2].map(() => startSimulator({ chain, faults: {} })));
  const follower = follow(servers.map(({ url }) => url));
  let step: Promise<void> | undefined;

  async function takeStep(): Promise<void> {
    chain.extend({ logs: someLogs() });
    const startedAt = performance.now();
    const early = sleep(500);
    await until(() => follower.seen.length === chain.head.number);
    await sleep(3 * Math.max(0, performance.now() - startedAt - usualMs));
    await early;
    step = undefined;
  }

  return {
    next() {
      step ??= takeStep();
      return step;
    },
    async stop() {
      await follower.stop();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** Follows a chain; `seen` has its blocks. */
function follow(urls: readonly string[]) {
  const client = createEvmClient({ chain: chains.telos, urls, now: Date.now, onCall: () => {} });
  const stopping = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    const options = { recent: [], startBlock: 1, blockTimeMs: 500, confirmations: 1, now: Date.now };
    for await (const message of followChain({
      client,
      ...options,
      onError: () => {},
      signal: stopping.signal,
    }))
      if (message.type === 'blocks')
        for (const { hash, logs } of message.blocks) seen.push(`${hash} ${logs.length}`);
  })();
  return {
    client,
    seen,
    async stop() {
      stopping.abort();
      await following;
      await client.close();
    },
  };
}

/** Follows a chain with a block every half second from three endpoints, of which the last one alone is right. */
async function followAmong(first: Bad, second: Bad, pace: Pace): Promise<void> {
  const name = `${first.name}, ${second.name}`;
  const chain = createSimChain({ chainId: 40, seed: random.below(2 ** 31) });
  chain.extend([{ logs: someLogs() }, { logs: someLogs() }]);
  const servers = await Promise.all(
    [first.faults, second.faults, {}].map((faults) => startSimulator({ chain, faults })),
  );
  const urls = servers.map(({ url, wsUrl }, n) => ([first, second][n]?.ws ? wsUrl : url));
  const { client, seen, stop } = follow(urls);
  const looking = setInterval(() => void client.checkEndpoints('troubled'), 1000);
  /** What was said of each endpoint: one that is asked for nothing while another answers is believed again after a while. */
  const said: { state: string; lastFault: string }[][] = [[], []];
  const listen = () => {
    for (const [n, { state, lastFault }] of client.health().slice(0, 2).entries())
      said[n]?.push({ state, lastFault: lastFault ?? '' });
  };
  try {
    let most = 0;
    for (let n = 0; n < blocks; n++) {
      chain.extend({ logs: someLogs() });
      await pace.next();
      listen();
      // The first seconds are for finding out whom to ask.
      if (n > 5) most = Math.max(most, chain.head.number - seen.length);
    }
    await until(() => seen.length === chain.head.number).catch(() => {
      throw new Error(
        `${name}: ${seen.length} of ${chain.head.number} blocks, ${JSON.stringify(client.health())}`,
      );
    });
    expect(seen, name).toEqual(toSeen(chain));
    expect(most, `${name}: blocks behind`).toBeLessThan(3);
    await client.checkEndpoints('all');
    listen();
    const health = client.health();
    expect(health[2], name).toMatchObject({ state: 'ok', faults: 0 });
    const isSaid = ({ state, why }: Bad, n: number) =>
      said[n]?.some((each) => each.state === state && (!why || why.test(each.lastFault)));
    if (![first, second].every(isSaid)) {
      // One that was asked for nothing, because the right one answered first, shows its fault when it is asked.
      servers[2]!.setFaults({ dead: true });
      chain.extend({ logs: someLogs() });
      await until(() => {
        listen();
        return [first, second].every(isSaid);
      }).catch(() => {
        throw new Error(`${name}: ${JSON.stringify(said)}`);
      });
    }
    for (const [n, { name: one }] of [first, second].entries())
      if (one === 'slow') expect(health[n]!.latencyMs, name).toBeGreaterThan(500);
  } finally {
    clearInterval(looking);
    await stop();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function someLogs() {
  return Array.from({ length: 2 + random.below(4) }, () => transfer(vault, someone(), 1n));
}

/** Of logs that differ in nothing that the bloom covers, one can be left out unnoticed. */
function someone(): string {
  return `0x${random
    .below(2 ** 31)
    .toString(16)
    .padStart(40, '0')}`;
}

function toSeen(chain: SimChain): string[] {
  return chain.blocks
    .slice(1)
    .map(({ hash, logsJson }) => `${hash} ${(JSON.parse(String(logsJson)) as unknown[]).length}`);
}

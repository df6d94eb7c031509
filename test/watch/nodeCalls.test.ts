import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChainClient } from '../../src/chains/chainClient.ts';
import type { ChainUid } from '../../src/chains/chains.ts';
import { icpLedgerId } from '../../src/chains/icp/createLedger.ts';
import type { MetricRecorder } from '../../src/model/metrics.ts';
import { type OpenChains, openChains } from '../../src/services/contracts/openChains.ts';
import { createMetricRecorder } from '../../src/services/telemetry/createMetricRecorder.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { addLedger, canisterId } from '../../testing/icp/ledgerCanister.ts';
import { startReplica } from '../../testing/icp/startReplica.ts';
import { createBranches } from '../../testing/simulator/families/createBranches.ts';
import { familyNodes } from '../../testing/simulator/families/familyNodes.ts';
import { startFamilyNode } from '../../testing/simulator/families/startFamilyNode.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { startStellarRpc, stellarPassphrase } from '../../testing/stellar/startStellarRpc.ts';
import { stellarKey } from '../../testing/stellar/stellarKey.ts';

const blocks = 20;
const watched = canisterId(7);

/** A chain that is asked over HTTP alone, and what docs/chains.md says that it costs. */
type World = {
  uid: ChainUid;
  url: string;
  network?: string;
  address: string;
  /** Calls that its node got. */
  received(): number;
  /** Those among them that the library of the chain makes by itself, once. */
  uncounted?: number;
  /** Follows it for a while; calls that this takes once all is known that is asked for once. */
  follow(client: ChainClient): Promise<number>;
  stop(): unknown;
};

describe('calls to nodes', () => {
  const worlds: World[] = [];
  let api: TestApi;
  let projectId: number;
  let recorder: MetricRecorder;
  let opened: OpenChains;
  /** The clock of the client, which stands still unless it is moved. */
  let passedMs = 0;
  const startedAt = Date.now();
  const now = () => startedAt + passedMs;

  beforeAll(async () => {
    worlds.push(...(await Promise.all([...perBlock().map(startSimulated), startStellar(), startIcp()])));
    const settings = worlds.map(({ uid, url, network }) => [uid, { endpoints: [url], network }]);
    const access = { isConfigured: () => true, client: (uid: ChainUid) => opened.client(uid) };
    api = await startTestApi({ chains: access });
    recorder = createMetricRecorder(api.store, () => Date.now() - 300_000);
    opened = openChains(Object.fromEntries(settings), recorder, now);
    const { id: tenantId } = await api.ok('POST', 'tenant', { name: 'Acme' });
    projectId = (await api.ok('POST', 'project', { tenantId, name: 'Gold' })).id;
  });
  afterAll(async () => {
    await opened?.close();
    await api?.stop();
    for (const { stop } of worlds) await stop();
  });

  it('are as many as the documents say, and GET /chain says how many a minute has for each contract', async () => {
    for (const { uid: chainUid, address, received, follow } of worlds) {
      const contract = { projectId, chainUid, name: 'Treasury', addressType: 'WALLET', address };
      await api.ok('POST', 'contract', contract);
      const client = opened.client(chainUid)!;
      // The first calls say which network it is, and where the ledgers are.
      await client.header('latest');
      await follow(client);
      const before = received();
      const expected = await follow(client);
      expect.soft(received() - before, chainUid).toBe(expected);
    }
    await recorder.flush();
    const { data } = await api.ok('GET', 'chain');
    for (const { uid, received, uncounted = 0 } of worlds) {
      const { callsPerMinute, callsPerContract } = data.find(({ chainUid }: Json) => chainUid === uid);
      expect.soft(callsPerMinute, uid).toBe((received() - uncounted) / 10);
      expect.soft(callsPerContract, uid).toBe(callsPerMinute);
    }
  });

  /** Calls that a block takes. */
  function perBlock() {
    return [
      ['bitcoin', 2],
      ['tron', 2],
      ['vechain', 1],
      ['solana', 1],
    ] as const;
  }

  async function startSimulated([uid, calls]: ReturnType<typeof perBlock>[number]): Promise<World> {
    const family = familyNodes[uid];
    const chain = createBranches(createRandom(`calls to ${uid}`), family.toHash);
    chain.extend(blocks);
    const { url, calls: received, stop } = await startFamilyNode(chain, family);
    const isNamed = uid === 'tron' || uid === 'vechain';
    return {
      uid,
      url,
      ...(isNamed && { network: chain.blocks()[0]!.hash }),
      address: family.address(0),
      received: () => received.length,
      follow: (client) => readBlocks(client, 1, calls),
      stop,
    };
  }

  async function startStellar(): Promise<World> {
    const { url, calls, close, latest, stop } = await startStellarRpc();
    const first = latest() + 1;
    for (let count = 0; count < blocks; count++) close();
    return {
      uid: 'stellar',
      url,
      network: stellarPassphrase,
      address: stellarKey(1).address,
      received: () => calls.length,
      follow: (client) => readBlocks(client, first, 1),
      stop,
    };
  }

  async function readBlocks(client: ChainClient, first: number, calls: number): Promise<number> {
    for (let number = first; number < first + blocks; number++)
      expect((await client.block(number))?.number).toBe(number);
    return calls * blocks;
  }

  /** Two ledgers: that of ICP, and one of a token that is watched. */
  async function startIcp(): Promise<World> {
    const replica = await startReplica();
    let next = Math.floor(now() / 1000) - 2;
    for (const [id, kind] of [
      [icpLedgerId, 'icp'],
      [watched, 'icrc'],
    ] as const)
      addLedger(replica, id, { kind, symbol: 'ICP' }).mint(canisterId(9), 10n);
    return {
      uid: 'icp',
      url: replica.url,
      network: replica.rootKey,
      address: watched,
      received: () => [...replica.seen.values()].reduce((sum, count) => sum + count, 0),
      // Which nodes the subnet of each ledger has.
      uncounted: 2,
      async follow(client) {
        const has = (address: string) => address === watched;
        const focus = { has, addresses: () => [watched], version: () => 1 };
        for (const end = passedMs + 8000; passedMs < end; passedMs += 1000) {
          replica.lagMs = Date.now() - now();
          for (let block = await client.block(next); block; block = await client.block(++next))
            await client.detail!(block, focus);
        }
        // 30 a minute for each of them.
        return 8;
      },
      stop: replica.stop,
    };
  }
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { sql } from '../../src/lib/sql.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { sized } from '../../testing/proveSize.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { startTraceProxy } from '../../testing/startTraceProxy.ts';
import { until } from '../../testing/until.ts';

const ether = 10n ** 18n;
const KiB = 1024n;
let anvil: Anvil;
let node: Awaited<ReturnType<typeof startTraceProxy>>;
let vigil: TestWatch;
let vault: Contract;
let thief: Contract;
let bomb: Contract;
let drainId: number;
let strangerId: number;
let seeingId: number;
let contractId: number;

beforeAll(async () => {
  anvil = await startAnvil();
  node = await startTraceProxy(anvil.url);
  node.tracing = 'own tracers';
  vigil = await startTestWatch({
    anvil: {
      urls: [node.url],
      traceLimits: { blockBytes: 1024 * 1024, transactionBytes: 4 * 1024 * 1024, keptBytes: 4 * 1024 * 1024 },
    },
  });
  vault = await anvil.deploy(artifacts.SilentVault);
  thief = await anvil.deploy(artifacts.Thief, vault.address);
  bomb = await anvil.deploy(artifacts.Bomb);
  contractId = await vigil.addContract(vault.address, { name: 'Vault', abi: vault.abi });
  drainId = await vigil.addDetector(contractId, 'drain');
  await vigil.addDetector(contractId, 'reentrancy');
  seeingId = await vigil.addDetector(contractId, 'ownership_change');
  const other = await anvil.deploy(artifacts.SilentVault);
  const otherId = await vigil.addContract(other.address, { name: 'Other vault', abi: vault.abi });
  strangerId = await vigil.addDetector(otherId, 'drain');
  vigil.watch();
  await anvil.mine();
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
});

afterAll(async () => {
  await vigil?.stop();
  await node?.stop();
  await anvil?.stop();
});

type Block = { number: number; robbery: string; bombed: string };

/** A bomb and a robbery by inner calls alone, in one block. */
async function mineTogether(name: string, ...args: unknown[]): Promise<Block> {
  const [owner, , attacker, bomber] = anvil.accounts;
  await vault.send({ from: owner, value: 5n * ether }, 'deposit');
  const [bombed, robbery] = await anvil.sendTogether([
    { from: bomber, to: bomb.address, data: bomb.encode(name, ...args) },
    { from: attacker, to: thief.address, value: ether, data: thief.encode('attack') },
  ]);
  expect([bombed!.status, robbery!.status]).toEqual(['success', 'success']);
  expect(bombed!.blockNumber).toBe(robbery!.blockNumber);
  const number = Number(robbery!.blockNumber);
  await vigil.reached('anvil', number);
  return { number, robbery: robbery!.transactionHash, bombed: bombed!.transactionHash };
}

/** The kinds of the alerts of a transaction, once the traces of all blocks are evaluated or given up. */
async function alertsOf(hash: string): Promise<string[]> {
  await until(async () => (await traces()).waiting === 0);
  return (await vigil.alerts(`txHash:${hash}`))
    .map(({ detectorSchemaName }: Json) => detectorSchemaName)
    .toSorted((a: string, b: string) => a.localeCompare(b));
}

async function traces(): Promise<Json> {
  await vigil.store.query(sql`update untraced_block set next_attempt_at = 0`);
  const { data } = await vigil.ok('GET', 'chain');
  const [row] = await vigil.store.query<{ count: number }>(
    sql`select count(*)::int as count from untraced_block`,
  );
  return { ...data.find(({ chainUid }: Json) => chainUid === 'anvil').traces, waiting: row?.count };
}

const faultOf = (id: number) => vigil.ok('GET', `detector/${id}/fault`);

describe('a transaction whose trace is huge', () => {
  it('is read by the heads of its inputs, beside all else of its block', async () => {
    const { robbery, bombed } = await mineTogether('burst', 30n, 32n * KiB);
    expect(await alertsOf(robbery)).toEqual(['drain', 'reentrancy']);
    expect(await alertsOf(bombed)).toEqual([]);
    expect((await faultOf(drainId)).works).toBe(true);
  });

  it('takes no room from the rest of its block, in any number', async () => {
    const [owner, , attacker, bomber] = anvil.accounts;
    await vault.send({ from: owner, value: 5n * ether }, 'deposit');
    const bombs = Array.from({ length: 4 }, () => ({
      from: bomber,
      to: bomb.address,
      data: bomb.encode('burst', 40n, 32n * KiB),
    }));
    const robbery = { from: attacker, to: thief.address, value: ether, data: thief.encode('attack') };
    const mined = await anvil.sendTogether([...bombs, robbery]);
    expect(new Set(mined.map(({ blockNumber }) => blockNumber)).size).toBe(1);
    await vigil.reached('anvil', Number(mined[0]!.blockNumber));
    expect(await alertsOf(mined.at(-1)!.transactionHash)).toEqual(['drain', 'reentrancy']);
    expect((await faultOf(drainId)).works).toBe(true);
  });

  it('is left out where even that is too much, which those who it may concern are notified by a fault', async () => {
    const { number, robbery, bombed } = await mineTogether('burst', 150n, 32n * KiB);
    expect(await alertsOf(robbery)).toEqual(['drain', 'reentrancy']);
    expect(await alertsOf(bombed)).toEqual([]);
    for (const id of [drainId, strangerId])
      expect(await faultOf(id)).toMatchObject({ works: false, message: expect.stringContaining(bombed) });
    expect((await traces()).givenUp).toMatchObject({ blocks: 1, last: number });
    const [{ uid }] = (await vigil.alerts(`txHash:${robbery}`)) as [Json];
    expect((await vigil.ok('GET', `alert/${uid}/outcome`)).unseen.reason).toContain('too large');
  });

  it('a transaction whose trace is huge that visibly touches a watched contract is a blind spot of it, reported once', async () => {
    const { number, robbery, bombed } = await mineTogether('burstAt', vault.address, 150n, 32n * KiB);
    expect(await alertsOf(robbery)).toEqual(['drain', 'reentrancy']);
    expect(await alertsOf(bombed)).toEqual(['blind_spot']);
    const [alert] = (await vigil.alerts(`txHash:${bombed}`)) as [Json];
    const sender = anvil.accounts[3].toLowerCase();
    expect(alert).toMatchObject({ severity: 'CRITICAL', name: 'Blind spot', blockNumber: number });
    expect(alert.tags).toContain('vigil');
    expect(alert.meta).toMatchObject({
      sender,
      gas: expect.any(String),
      detectors: expect.arrayContaining(['drain', 'reentrancy']),
    });
    for (const part of [bombed, sender, alert.meta.gas, 'too large']) expect(alert.message).toContain(part);
    // As if the process had been killed before the row of the block was deleted.
    await vigil.store.query(
      sql`insert into untraced_block (chain_uid, number, hash, next_attempt_at, created_at)
        values ('anvil', ${number}, ${alert.blockHash}, 0, ${Date.now()})`,
    );
    // Waiting blocks are looked for at a start, and when a block is added to them.
    await vault.send({ from: anvil.accounts[0], value: 0n }, 'deposit');
    expect(await alertsOf(bombed)).toEqual(['blind_spot']);
    expect((await traces()).givenUp.blocks).toBe(2);
  });

  it('lets the robbery be reported where the two are one transaction that moves what is visible', async () => {
    const [owner, , recipient] = anvil.accounts;
    await vault.send({ from: owner, value: 5n * ether }, 'deposit');
    const use = vault.encode('sweep', recipient, ether);
    const args = [30n, 32n * KiB, vault.address, use] as const;
    const { transactionHash, blockNumber } = await bomb.send(anvil.accounts[3], 'burstAndCall', ...args);
    await vigil.reached('anvil', Number(blockNumber));
    expect(await alertsOf(transactionHash)).toEqual(['drain']);
  });

  it('is read by a tracer of heads where the node runs one, with the robbery in it that nothing else shows', async () => {
    const [owner, , recipient] = anvil.accounts;
    await vault.send({ from: owner, value: 5n * ether }, 'deposit');
    node.tracing = 'ok';
    const use = vault.encode('sweep', recipient, 5n * ether);
    const args = [150n, 32n * KiB, vault.address, use] as const;
    const { transactionHash, blockNumber } = await bomb.send(anvil.accounts[3], 'burstAndCall', ...args);
    await vigil.reached('anvil', Number(blockNumber));
    expect(await alertsOf(transactionHash)).toEqual(['drain']);
    node.tracing = 'own tracers';
  });

  it('a transaction whose trace is huge that nodes cannot trace is left out after some attempts, and the rest of its block is not', async () => {
    const [owner, , attacker, bomber] = anvil.accounts;
    await vault.send({ from: owner, value: 5n * ether }, 'deposit');
    await anvil.setAutomine(false);
    const bombed = await anvil.submit({
      from: bomber,
      to: bomb.address,
      data: bomb.encode('burstAt', vault.address, 1n, 32n),
    });
    node.tracing = { failingAt: bombed };
    const robbery = await anvil.submit({
      from: attacker,
      to: thief.address,
      value: ether,
      data: thief.encode('attack'),
    });
    await anvil.mine();
    await anvil.setAutomine(true);
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    expect(await alertsOf(robbery)).toEqual(['drain', 'reentrancy']);
    expect(await alertsOf(bombed)).toEqual(['blind_spot']);
    node.tracing = 'own tracers';
  });
});

describe('a trace of hundreds of megabytes', () => {
  it('is read in little memory', async () => {
    const client = createEvmClient({
      chain: chains.anvil,
      urls: [anvil.url],
      now: Date.now,
      onCall: () => {},
      traceLimits: { blockBytes: 1024 * 1024 },
    });
    try {
      const calls = sized(300n, 3000n);
      const made = await bomb.send(anvil.accounts[3], 'burst', calls, 32n * KiB);
      const block = (await client.block(Number(made.blockNumber)))!;
      const before = process.memoryUsage().rss;
      const [frames = []] = await client.tracer!.frames(block);
      expect(process.memoryUsage().rss - before).toBeLessThan(sized(100, 250) * 1024 * 1024);
      expect(frames).toHaveLength(Number(calls) + 1);
      const kept = frames.reduce((sum, { input }) => sum + input.length, 0);
      expect(kept).toBeLessThan(40 * 1024 * 1024);
      expect(frames.at(-1)!.inputLength ?? 0).toBe(2 + 64 * 1024);
    } finally {
      await client.close();
    }
  });
});

describe('a tracer of heads', () => {
  it('shows the same calls as the node does, with less of what they pass', async () => {
    const clientOf = (transactionBytes: number) =>
      createEvmClient({
        chain: chains.anvil,
        urls: [anvil.url],
        now: Date.now,
        onCall: () => {},
        traceLimits: { blockBytes: 4096, transactionBytes },
      });
    const [whole, heads] = [clientOf(64 * 1024 * 1024), clientOf(4096)];
    try {
      const value = ether;
      const sent = [
        await bomb.send(anvil.accounts[3], 'burst', 3n, 32n * KiB),
        await thief.send({ from: anvil.accounts[2], value }, 'attack'),
        await (await anvil.deploy(artifacts.SilentVault)).send({ from: anvil.accounts[0], value }, 'deposit'),
      ];
      for (const { blockNumber } of sent) {
        const block = (await whole.block(Number(blockNumber)))!;
        const [expected = []] = await whole.tracer!.frames(block);
        const [frames = []] = await heads.tracer!.frames(block);
        expect(expected.length).toBeGreaterThan(0);
        expect(frames).toEqual(
          expected.map((frame) => ({
            ...frame,
            input: frame.input.slice(0, 2 + 2 * 324),
            ...(frame.input.length > 2 + 2 * 324 && { inputLength: frame.input.length }),
          })),
        );
      }
    } finally {
      await whole.close();
      await heads.close();
    }
  });
});

describe('a block that is given up', () => {
  it('is a fault of each detector that needed its traces, and of no other', async () => {
    node.tracing = 'failing';
    const { blockNumber } = await vault.send({ from: anvil.accounts[0], value: ether }, 'deposit');
    await vigil.reached('anvil', Number(blockNumber));
    await until(async () => {
      await vigil.store.query(
        sql`update untraced_block set created_at = 0, attempts = greatest(attempts, 11)`,
      );
      return (await traces()).waiting === 0;
    });
    node.tracing = 'own tracers';
    for (const id of [drainId, strangerId])
      expect(await faultOf(id)).toMatchObject({
        works: false,
        message: expect.stringMatching(new RegExp(`block ${blockNumber}.*did not give`)),
      });
    expect((await faultOf(seeingId)).works).toBe(true);
    // One that was created later missed nothing.
    const lateId = await vigil.addDetector(contractId, 'drain', {}, { name: 'late drain' });
    expect((await faultOf(lateId)).works).toBe(true);
    await anvil.mine();
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
  });
});

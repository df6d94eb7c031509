import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { startTraceProxy } from '../../testing/startTraceProxy.ts';
import { until } from '../../testing/until.ts';

const ether = 10n ** 18n;
let anvil: Anvil;
let node: Awaited<ReturnType<typeof startTraceProxy>>;
let vigil: TestWatch;
let watching: { stop(): Promise<void> };
let vault: Contract;
let thief: Contract;

beforeAll(async () => {
  anvil = await startAnvil();
  node = await startTraceProxy(anvil.url);
  vigil = await startTestWatch({ anvil: { urls: [node.url] } });
  vault = await anvil.deploy(artifacts.SilentVault);
  thief = await anvil.deploy(artifacts.Thief, vault.address);
  const contractId = await vigil.addContract(vault.address, { name: 'Vault', abi: vault.abi });
  await vigil.addDetector(contractId, 'reentrancy');
  await vigil.addDetector(contractId, 'drain');
  watching = vigil.watch();
  await anvil.mine();
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
});

afterAll(async () => {
  await vigil?.stop();
  await node?.stop();
  await anvil?.stop();
});

/** Drains the vault by inner calls alone, without a log. */
async function attack(): Promise<{ hash: string; number: number }> {
  const [owner, , attacker] = anvil.accounts;
  await vault.send({ from: owner, value: 5n * ether }, 'deposit');
  const { transactionHash, blockNumber } = await thief.send({ from: attacker, value: ether }, 'attack');
  await vigil.reached('anvil', Number(blockNumber));
  return { hash: transactionHash, number: Number(blockNumber) };
}

async function alertsOf(hash: string): Promise<string[]> {
  return (await vigil.alerts(`txHash:${hash}`))
    .map(({ detectorSchemaName }: Json) => detectorSchemaName)
    .toSorted((a: string, b: string) => a.localeCompare(b));
}

async function traces(): Promise<Json> {
  const { data } = await vigil.ok('GET', 'chain');
  const chain = data.find(({ chainUid }: Json) => chainUid === 'anvil');
  return { watchState: chain.watchState, ...chain.traces };
}

/** The blocks that wait are due at once. */
async function hurry(): Promise<void> {
  await vigil.store.query(sql`update untraced_block set next_attempt_at = 0`);
}

describe('traces', () => {
  it('show an attack by inner calls alone, once', async () => {
    const { hash } = await attack();
    expect(await alertsOf(hash)).toEqual(['drain', 'reentrancy']);
    await until(async () => (await traces()).state === 'ok' && (await traces()).waiting === 0);
    expect(await traces()).toMatchObject({ mode: 'auto', kinds: ['debug'], givenUp: null, reason: null });
  });

  it.each(['failing', 'wrong'] as const)(
    'that are %s let the chain go on, are reported as late, and are evaluated once when they come',
    async (tracing) => {
      node.tracing = tracing;
      const { hash, number } = await attack();
      expect(await alertsOf(hash)).toEqual([]);
      await until(async () => (await traces()).state === 'late');
      const { reason, waiting } = await traces();
      expect(reason).toMatch(tracing === 'wrong' ? /do not fit/ : /did not give/);
      expect(waiting).toBeGreaterThan(0);
      // What stops here is as good as killed: all that remains is in the store.
      await watching.stop();
      node.tracing = 'ok';
      await hurry();
      watching = vigil.watch();
      await until(async () => (await alertsOf(hash)).length > 0);
      await until(async () => (await traces()).waiting === 0);
      expect(await alertsOf(hash)).toEqual(['drain', 'reentrancy']);
      const [alert] = await vigil.alerts(`txHash:${hash}`);
      expect(alert).toMatchObject({ blockNumber: number });
    },
  );

  it('that are too large are given up, and that is reported', async () => {
    node.tracing = 'enormous';
    const { hash, number } = await attack();
    await until(async () => {
      await hurry();
      return (await traces()).givenUp?.last === number;
    }, 20_000);
    node.tracing = 'ok';
    expect((await traces()).givenUp.reason).toBe('The traces of a block are too large.');
    expect(await alertsOf(hash)).toEqual([]);
  });

  it('of dropped blocks are forgotten', async () => {
    node.tracing = 'failing';
    const { number } = await attack();
    await anvil.reorg(1);
    await anvil.mine();
    await vigil.reached('anvil', number + 1);
    node.tracing = 'ok';
    await hurry();
    await until(async () => (await traces()).waiting === 0);
    expect(await vigil.alerts(`blockNumber:${number}`)).toEqual([]);
  });
});

describe('a chain whose nodes do not trace', () => {
  it('says that inner calls are unseen, and is degraded where traces are required', async () => {
    await watching.stop();
    const blind = await startTraceProxy(anvil.url);
    blind.tracing = 'unknown';
    const other = await startTestWatch({ anvil: { urls: [blind.url], traces: 'required' } });
    try {
      const contractId = await other.addContract(vault.address);
      await other.addDetector(contractId, 'drain');
      other.watch();
      const { blockNumber } = await vault.send({ from: anvil.accounts[0], value: ether }, 'deposit');
      await other.reached('anvil', Number(blockNumber));
      const own = async () => {
        const { data } = await other.ok('GET', 'chain');
        return data.find(({ chainUid }: Json) => chainUid === 'anvil');
      };
      await until(async () => (await own()).traces.state === 'unavailable');
      expect(await own()).toMatchObject({
        watchState: 'degraded',
        watchReason: expect.stringMatching(/not seen/),
        traces: { mode: 'required', kinds: [], waiting: 1 },
      });
      // It keeps the block: an endpoint that traces may be added.
      blind.tracing = 'only trace_block';
    } finally {
      await other.stop();
      await blind.stop();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { startRefusingProxy } from '../../testing/startRefusingProxy.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const ether = 10n ** 18n;
let anvil: Anvil;
let proxy: Awaited<ReturnType<typeof startRefusingProxy>>;
let vigil: TestWatch;
let token: Contract;
let events: number;
let large: number;

/** Of a token of its own, because what is known of one is kept. */
async function addToken(): Promise<void> {
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 6, 10n ** 12n);
  const contractId = await vigil.addContract(token.address, { abi: token.abi });
  events = await vigil.addDetector(contractId, 'custom_event', {
    signature: 'Transfer(address indexed from, address indexed to, uint256 value)',
  });
  large = await vigil.addDetector(contractId, 'large_transfer', { threshold: '1' });
  // It calls the token at every block.
  await vigil.addDetector(contractId, 'total_supply', { when: 'block' });
  await anvil.mine();
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
}

const transfer = () => token.send(anvil.accounts[0], 'transfer', anvil.accounts[1], 5_000_000n);

async function foundBy(detectorId: number, txHash: string): Promise<number> {
  const alerts = await vigil.alerts(`txHash:${txHash}`);
  return alerts.filter((alert) => alert.detectorId === detectorId).length;
}

const restarts = () => vigil.watchLog.filter((line) => line.includes('Chain follower failed')).length;

describe.each(['error', 'status'] as const)('a node that refuses one kind of read by %s', (by) => {
  beforeAll(async () => {
    anvil = await startAnvil();
    proxy = await startRefusingProxy(anvil.url);
    vigil = await startTestWatch({ anvil: { urls: [proxy.url], confirmations: 1 } }, undefined, {
      readWaitMs: 60_000,
    });
    vigil.watch();
  });
  afterAll(async () => {
    await vigil?.stop();
    await proxy?.stop();
    await anvil?.stop();
  });

  it('delays only what needs it', async () => {
    await addToken();
    Object.assign(proxy, { refuses: 'eth_call', by, refused: 0 });
    const { transactionHash: first } = await transfer();
    await until(async () => (await foundBy(events, first)) === 1);
    const { transactionHash: second } = await transfer();
    await until(async () => (await foundBy(events, second)) === 1);
    await until(() => proxy.refused > 0);
    expect(restarts()).toBe(0);
    proxy.refuses = undefined;
    await vigil.store.query(sql`update deferred_evaluation set next_attempt_at = 0`);
    await until(async () => (await foundBy(large, first)) === 1 && (await foundBy(large, second)) === 1);
  });

  it('delays only what needs traces where it refuses those from the beginning on', async () => {
    await vigil.stop();
    Object.assign(proxy, { refuses: /^(debug_trace|trace_)/, by, refused: 0 });
    vigil = await startTestWatch({ anvil: { urls: [proxy.url], confirmations: 1 } });
    const [owner, , attacker] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.SilentVault);
    const thief = await anvil.deploy(artifacts.Thief, vault.address);
    await vault.send({ from: owner, value: 5n * ether }, 'deposit');
    const contractId = await vigil.addContract(vault.address, { name: 'Vault', abi: vault.abi });
    const drain = await vigil.addDetector(contractId, 'drain');
    const touched = await vigil.addDetector(contractId, 'custom_tx');
    vigil.watch();
    await anvil.mine();
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    await until(() => proxy.refused > 0);
    const robberies: string[] = [];
    for (let round = 0; round < 2; round++) {
      const { transactionHash } = await thief.send({ from: attacker, value: ether }, 'attack');
      robberies.push(transactionHash);
      await vault.send({ from: owner, value: 5n * ether }, 'deposit');
      const { transactionHash: deposit } = await vault.send({ from: owner, value: 1n }, 'deposit');
      await until(async () => (await foundBy(touched, deposit)) === 1);
    }
    expect(restarts()).toBe(0);
    for (const hash of robberies) expect(await foundBy(drain, hash)).toBe(0);
    proxy.refuses = undefined;
    for (const hash of robberies)
      await until(async () => {
        await vigil.store.query(sql`update untraced_block set next_attempt_at = 0`);
        return (await foundBy(drain, hash)) === 1;
      });
    expect(await vigil.alerts('detectorSchemaName:blind_spot')).toEqual([]);
  });

  it('delays no block where it gives no logs, but receipts', async () => {
    await addToken();
    Object.assign(proxy, { refuses: 'eth_getLogs', by, refused: 0 });
    const { transactionHash } = await transfer();
    await until(async () => (await foundBy(events, transactionHash)) === 1);
    await until(async () => (await foundBy(large, transactionHash)) === 1);
    expect(proxy.refused).toBeGreaterThan(0);
    expect(restarts()).toBe(0);
    proxy.refuses = undefined;
  });

  it('delays no block where it gives no receipts', async () => {
    await addToken();
    Object.assign(proxy, { refuses: 'eth_getTransactionReceipt', by, refused: 0 });
    const { transactionHash } = await transfer();
    await until(async () => (await foundBy(events, transactionHash)) === 1);
    expect(restarts()).toBe(0);
    proxy.refuses = undefined;
  });
});

describe('a node that traces calls and does not simulate', () => {
  it('tells decimals, symbols and feeds of pending alerts by its newest block', async () => {
    anvil = await startAnvil();
    proxy = await startRefusingProxy(anvil.url);
    Object.assign(proxy, { refuses: 'eth_simulateV1', by: 'unknown' });
    vigil = await startTestWatch({ anvil: { urls: [proxy.url], confirmations: 1 } });
    try {
      const [owner, friend] = anvil.accounts;
      token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 6, 10n ** 12n);
      const feed = await anvil.deploy(artifacts.PriceFeed, 8, 2n * 10n ** 8n);
      const contractId = await vigil.addContract(token.address, { abi: token.abi });
      await vigil.addDetector(contractId, 'large_transfer', {
        threshold: '4',
        usdFeed: feed.address,
        pending: true,
      });
      vigil.watch();
      await anvil.mine();
      await vigil.reached('anvil', Number(await anvil.blockNumber()));
      await until(async () => {
        const { data } = await vigil.ok('GET', 'chain');
        return data.find(({ chainUid }: Json) => chainUid === 'anvil').pending.state === 'ok';
      });
      await anvil.setAutomine(false);
      const data = token.encode('transfer', friend, 5_000_000n);
      const small = token.encode('transfer', friend, 3_000_000n);
      await anvil.submit({ from: friend, to: token.address, data: small });
      const hash = await anvil.submit({ from: owner, to: token.address, data });
      await until(async () => (await vigil.alerts(`txHash:${hash}`)).length > 0);
      const found = await vigil.alerts('detectorSchemaName:large_transfer');
      expect(found).toMatchObject([
        { txHash: hash, finality: 'PENDING', meta: { amount: '5', symbol: 'TKN', usd: '10' } },
      ]);
      expect(proxy.refused).toBeGreaterThan(0);
      expect(vigil.calls.get('debug_traceCall')).toBeGreaterThan(0);
    } finally {
      await vigil.stop();
      await proxy.stop();
      await anvil.stop();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { startRefusingProxy } from '../../testing/startRefusingProxy.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

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

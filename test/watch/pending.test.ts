import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { txHashSql } from '../../src/store/search/documents/packedHashes.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { createMempool } from '../../testing/simulator/createMempool.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const ether = 10n ** 18n;
/** A node whose pool is as busy as the test says. */
const busy = { chain: createSimChain({ chainId: 1 }), listeners: new Set<(body: string) => void>() };
const target = `0x${'5a'.repeat(20)}`;
let simulator: Simulator;
let anvil: Anvil;
let vigil: TestWatch;
let watching: { stop(): Promise<void> };
let vault: Contract;
let thief: Contract;
let detectorId: number;

beforeAll(async () => {
  anvil = await startAnvil();
  simulator = await startSimulator({
    chain: busy.chain,
    mempool: createMempool(busy.chain),
    announce: (listener) => {
      busy.listeners.add(listener);
      return () => busy.listeners.delete(listener);
    },
    state: {
      balance: () => 10n * ether,
      trace: ({ from, to }) => ({
        type: 'CALL',
        from,
        to,
        value: '0x0',
        input: '0x12345678',
        calls: to === target ? [{ type: 'CALL', from: to, to: from, value: '0x4563918244f40000' }] : [],
      }),
    },
  });
  const settings = {
    anvil: { urls: [anvil.wsUrl], confirmations: 1 },
    ethereum: { urls: [simulator.wsUrl], traces: 'off' as const },
  };
  vigil = await startTestWatch(settings, undefined, { pendingDropMs: 0 });
  vault = await anvil.deploy(artifacts.SilentVault);
  thief = await anvil.deploy(artifacts.Thief, vault.address);
  const contractId = await vigil.addContract(vault.address, { name: 'Vault', abi: vault.abi });
  detectorId = await vigil.addDetector(contractId, 'drain');
  watching = vigil.watch();
  await anvil.mine();
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
});

afterAll(async () => {
  await vigil?.stop();
  await simulator?.stop();
  await anvil?.stop();
});

async function pendingOf(uid = 'anvil'): Promise<Json> {
  const { data } = await vigil.ok('GET', 'chain');
  return data.find(({ chainUid }: Json) => chainUid === uid).pending;
}

/** Puts an attack into the pool that no block takes yet. */
async function prepareAttack(): Promise<string> {
  const [owner] = anvil.accounts;
  await vault.send({ from: owner, value: 5n * ether }, 'deposit');
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
  await anvil.setAutomine(false);
  return anvil.submit(attackOf(thief));
}

const attackOf = ({ address, encode }: Contract) => ({
  from: anvil.accounts[2],
  to: address,
  data: encode('attack'),
  value: ether,
});

/** Everything that waits is mined. */
async function settle(): Promise<void> {
  await anvil.mine();
  await anvil.setAutomine(true);
  await vigil.reached('anvil', Number(await anvil.blockNumber()));
}

async function retracted(hash: string): Promise<Json> {
  await until(async () => (await alertOf(hash, 'RETRACTED')) !== undefined);
  expect(await verifyRollups(vigil.store)).toEqual([]);
  return (await alertOf(hash, 'RETRACTED'))!;
}

async function alertOf(hash: string, status?: string): Promise<Json | undefined> {
  const found = await vigil.alerts(`txHash:${hash}${status ? ` AND status:${status}` : ''}`);
  expect(found.length).toBeLessThan(2);
  return found[0];
}

async function raised(hash: string): Promise<Json> {
  await until(async () => (await alertOf(hash)) !== undefined);
  return (await alertOf(hash))!;
}

describe('a pending transaction', () => {
  it('costs nothing until a detector wants it', async () => {
    await until(async () => (await pendingOf()).state === 'idle');
    expect([...vigil.calls.keys()].filter((method) => /subscribe|txpool|Filter/.test(method))).toEqual([]);
    await vigil.ok('PUT', `detector/${detectorId}`, { config: { pending: true } });
    await until(async () => (await pendingOf()).state === 'ok');
    expect(vigil.calls.get('eth_subscribe')).toBeGreaterThan(0);
  });

  it('raises an alert that becomes the one of its block, counted once', async () => {
    const hash = await prepareAttack();
    const pending = await raised(hash);
    expect(pending).toMatchObject({
      finality: 'PENDING',
      blockNumber: null,
      blockHash: null,
      detectorSchemaName: 'drain',
      severity: 'CRITICAL',
    });
    await anvil.mine();
    await anvil.setAutomine(true);
    await until(async () => (await alertOf(hash))?.finality === 'HEAD');
    const { blockNumber } = await anvil.receipt(hash as `0x${string}`);
    expect(await alertOf(hash)).toMatchObject({ uid: pending.uid, blockNumber: Number(blockNumber) });
    await vigil.reached('anvil', Number(blockNumber));
    expect(await verifyRollups(vigil.store)).toEqual([]);
    expect(await vigil.alerts(`txHash:${hash}`)).toHaveLength(1);
    expect(
      await vigil.store.query(sql`select 1 from pending_alert where state in ('PENDING', 'MINED')`),
    ).toEqual([]);
  });

  it('a pending transaction that another one of its sender replaces has its alert retracted', async () => {
    const hash = await prepareAttack();
    const { uid } = await raised(hash);
    const [, , attacker] = anvil.accounts;
    const { nonce } = await anvil.rpc<{ nonce: string }>('eth_getTransactionByHash', hash);
    const fees = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x174876e800' };
    await anvil.rpc('eth_sendTransaction', { from: attacker, to: attacker, nonce, ...fees });
    expect(await retracted(hash)).toMatchObject({ uid, retractionReason: 'REPLACED', finality: 'PENDING' });
    await settle();
  });

  it('a pending transaction that no endpoint has any more has its alert retracted', async () => {
    const hash = await prepareAttack();
    const { uid } = await raised(hash);
    await anvil.rpc('anvil_dropTransaction', hash);
    expect(await retracted(hash)).toMatchObject({ uid, retractionReason: 'DROPPED' });
    await settle();
  });

  it('a pending transaction that does something else in its block has its alert retracted', async () => {
    const [owner, , , other] = anvil.accounts;
    await vault.send({ from: owner, value: 5n * ether }, 'deposit');
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    const rest = await anvil.balance(vault.address);
    await anvil.setAutomine(false);
    const sweep = vault.encode('sweep', other, rest);
    const first = await anvil.submit({ from: other, to: vault.address, data: sweep });
    const { uid: firstUid } = await raised(first);
    const second = await anvil.submit(attackOf(thief));
    const { uid } = await raised(second);
    await settle();
    expect(await retracted(second)).toMatchObject({ uid, retractionReason: 'UNFULFILLED' });
    await until(async () => (await alertOf(first))?.finality !== 'PENDING');
    expect(await alertOf(first)).toMatchObject({ uid: firstUid });
  });

  it('a pending transaction that is mined while nothing watches has the same alert afterwards, as often as that is repeated', async () => {
    const hash = await prepareAttack();
    const { uid } = await raised(hash);
    // What stops here is as good as killed: all that remains is in the store.
    await watching.stop();
    await anvil.mine();
    await anvil.setAutomine(true);
    watching = vigil.watch();
    await until(async () => (await alertOf(hash))?.blockNumber != null);
    expect(await alertOf(hash)).toMatchObject({ uid });
    expect(await verifyRollups(vigil.store)).toEqual([]);
  });

  it('a pending transaction of a dropped block has its alert retracted, and back when another block has it', async () => {
    const hash = await prepareAttack();
    const { uid } = await raised(hash);
    await anvil.mine();
    await anvil.setAutomine(true);
    await until(async () => (await alertOf(hash))?.finality === 'HEAD');
    await anvil.reorg(1);
    expect(await retracted(hash)).toMatchObject({ uid, retractionReason: 'REORGANISED' });
    const again = await anvil.submit(attackOf(thief));
    await anvil.mine();
    if (again !== hash) return;
    await until(async () => (await alertOf(hash))?.blockNumber != null);
    expect(await alertOf(hash)).toMatchObject({ uid });
  });
});

describe('a pool with thousands of transactions', () => {
  it('hides no attack among them, and holds up no block', async () => {
    const contractId = await vigil.addContract(target, { chainUid: 'ethereum' });
    const id = await vigil.addDetector(contractId, 'drain', { pending: true });
    const blockId = await vigil.addDetector(contractId, 'drain', {});
    await until(async () => {
      // It is followed from a block on.
      busy.chain.extend(1);
      return (await pendingOf('ethereum'))?.state === 'ok' && busy.listeners.size > 0;
    });
    const others = 5000;
    const hashes = Array.from({ length: others + 1 }, (_, n) => announcePending(n, n === others / 2));
    busy.chain.extend(1);
    await vigil.reached('ethereum', busy.chain.head.number);
    const attack = hashes[others / 2]!;
    // The node does not know the attack by its hash, so that its alert is retracted soon.
    const raised = () =>
      vigil.store.query(
        sql`select ${txHashSql} as hash, is_pending as "isPending" from alert t where chain_uid = 'ethereum'`,
      );
    await until(async () => (await raised()).length > 0);
    // The others name nothing that is watched: as many as may be are simulated, the rest is counted.
    await until(async () => {
      const { seen, simulated, dropped } = await pendingOf('ethereum');
      return seen === others + 1 && simulated > 1 && dropped > 0;
    });
    expect(await raised()).toEqual([{ hash: attack, isPending: true }]);
    // Each detector that judges them says so, and no other.
    await until(async () => (await pendingOf('ethereum')).droppedAt !== null);
    expect(await vigil.ok('GET', `detector/${id}/fault`)).toMatchObject({
      works: false,
      message: expect.stringContaining('Not all pending transactions were simulated'),
    });
    expect(await vigil.ok('GET', `detector/${blockId}/fault`)).toMatchObject({ works: true });
  });

  function announcePending(n: number, isAttack: boolean): string {
    const hash = `0x${(n + 1).toString(16).padStart(64, '0')}`;
    const from = `0x${(n + 1).toString(16).padStart(40, 'b')}`;
    const to = isAttack ? target : `0x${(n + 1).toString(16).padStart(40, 'c')}`;
    const fees = { maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x3b9aca00' };
    const rest = { nonce: '0x0', value: '0x0', gas: '0x30d40', input: '0x12345678', blockHash: null };
    const body = JSON.stringify({ hash, from, to, ...fees, ...rest });
    for (const listener of busy.listeners) listener(body);
    return hash;
  }
});

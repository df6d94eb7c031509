import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { BlockSpec, LogSpec, SimBlock } from '../../testing/simulator/buildBlock.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { RpcError } from '../../testing/simulator/rpcError.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const address = (byte: string) => `0x${byte.repeat(20)}`;
const topic = (party: string) => `0x${party.slice(2).padStart(64, '0')}`;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const unit = 10n ** 6n;
const [thief, vault] = [address('ee'), address('22')];

/** What a node says to calls of a token, by its address: an error, or nothing wrong. */
const wrong = new Map<string, RpcError>();
/** Blocks below this one have no state any more. */
let pruned = 0;

const chain = createSimChain({ chainId: 31337 });
let simulator: Simulator;
let vigil: TestWatch;
let watching: { stop(): Promise<void> };

beforeAll(async () => {
  simulator = await startSimulator({ chain, state: { call } });
  vigil = await startTestWatch({ anvil: { urls: [simulator.url], startBlock: 1 } }, undefined, {
    readWaitMs: 30_000,
  });
  await vigil.store.query(sql`update plan set detector_rate_limit = 1000000`);
  watching = vigil.watch();
});
afterAll(async () => {
  await vigil?.stop();
  await simulator?.stop();
});

function call({ to = '', data = '0x' }: { to?: string; data?: string }, { number }: SimBlock): string {
  const error = wrong.get(to);
  if (error) throw error;
  if (number < pruned) throw new RpcError(-32000, 'missing trie node 4f3c (path ) state is not available');
  switch (data.slice(0, 10)) {
    case '0x313ce567':
      return word(6n);
    case '0x70a08231':
      return word(10n * unit);
    default:
      return '0x';
  }
}

const move = (token: string, from: string, to: string, amount: bigint): LogSpec => ({
  address: token,
  topics: [transferTopic, topic(from), topic(to)],
  data: word(amount),
});
const block = (...logs: LogSpec[]): BlockSpec => ({ txs: [{ to: address('cc'), logs }] });

async function addToken(byte: string, severity = 'HIGH'): Promise<{ token: string; detectorId: number }> {
  const token = address(byte);
  const contractId = await vigil.addContract(token, { name: `Token ${byte}` });
  const detectorId = await vigil.addDetector(contractId, 'large_transfer', { threshold: '1000', severity });
  return { token, detectorId };
}

const alertsOf = async (detectorId: number): Promise<Json[]> =>
  (await vigil.alerts()).filter((alert: Json) => alert.detectorId === detectorId);
const found = async (detectorId: number) =>
  (await alertsOf(detectorId)).filter(({ tags }) => !tags.includes('fault'));
const isProcessed = () =>
  until(async () => {
    const [row] = await vigil.store.query<{ hash: string }>(sql`select hash from chain_cursor`);
    return row?.hash === chain.head.hash;
  });
const deferred = () =>
  vigil.store.query<{ number: number; hash: string; id: number }>(
    sql`select number, hash, id from deferred_evaluation order by id, number`,
  );

describe('an observation whose reads fail', () => {
  it('is kept over restarts while the chain goes on, and raised once, whole, when nodes answer', async () => {
    const { token, detectorId } = await addToken('11');
    wrong.set(token, new RpcError(-32603, 'internal error'));
    chain.extend([block(move(token, vault, thief, 5000n * unit)), {}, block(move(token, vault, thief, 1n))]);
    await isProcessed();
    expect((await deferred()).map(({ id }) => id)).toContain(detectorId);
    // Its owner is alerted of the first fault, because its alerts are HIGH.
    const [notice] = await until(async () => {
      const alerts = await alertsOf(detectorId);
      return alerts.length > 0 ? alerts : undefined;
    });
    expect(notice).toMatchObject({ name: 'Detector fault', tags: ['vigil', 'fault'] });
    expect(notice!.message).toContain('its blocks are kept and evaluated again');
    await watching.stop();
    watching = vigil.watch();
    chain.extend(1);
    await isProcessed();
    expect(await found(detectorId)).toEqual([]);
    wrong.clear();
    await vigil.store.query(sql`update deferred_evaluation set next_attempt_at = 0`);
    await vigil.reached('anvil', chain.head.number);
    const alerts = await found(detectorId);
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatchObject({ severity: 'HIGH', meta: { amount: '5000', symbol: token } });
    expect(alerts[0]!.meta).not.toHaveProperty('incomplete');
    expect(await vigil.ok('GET', `detector/${detectorId}/fault`)).toMatchObject({ works: true });
  });

  it('goes with its block when a reorganisation removes that, and is raised from the block that replaces it', async () => {
    const { token, detectorId } = await addToken('12');
    wrong.set(token, new RpcError(-32000, 'header not found'));
    const fork = chain.head.number;
    chain.extend([block(move(token, vault, thief, 2000n * unit)), {}]);
    await isProcessed();
    chain.fork(fork, [{}, block(move(token, vault, thief, 3000n * unit)), {}]);
    await isProcessed();
    wrong.clear();
    await vigil.store.query(sql`update deferred_evaluation set next_attempt_at = 0`);
    await vigil.reached('anvil', chain.head.number);
    expect((await found(detectorId)).map(({ meta }) => meta.amount)).toEqual(['3000']);
  });

  it('is raised with the raw amount, marked as incomplete, where nodes never answer', async () => {
    const { token, detectorId } = await addToken('13');
    wrong.set(token, new RpcError(-32603, 'internal error'));
    chain.extend([block(move(token, vault, thief, 5000n * unit)), block(move(token, vault, thief, 999n))]);
    await isProcessed();
    await vigil.store.query(
      sql`update deferred_evaluation set next_attempt_at = 0, created_at = created_at - 60000`,
    );
    await watching.stop();
    watching = vigil.watch();
    await vigil.reached('anvil', chain.head.number);
    const [alert, ...others] = await found(detectorId);
    // Too small whatever the decimals are.
    expect(others).toEqual([]);
    expect(alert!.message).toMatch(/^5,000,000,000 smallest units of .*\(Incomplete: /);
    expect(alert!.meta).toMatchObject({
      incomplete: true,
      incompleteReason: expect.stringContaining('internal error'),
      rawAmount: '5000000000',
    });
    wrong.clear();
  });

  it('is judged by its log and by facts that do not change, where the state of its block is gone', async () => {
    const { token, detectorId } = await addToken('14', 'LOW');
    const vaultId = await vigil.addContract(vault, { name: 'Vault' });
    const outflow = await vigil.addDetector(vaultId, 'outflow_rate', { token, limit: '50%' });
    await watching.stop();
    chain.extend([block(move(token, vault, thief, 5000n * unit)), {}]);
    pruned = chain.head.number;
    watching = vigil.watch();
    await vigil.reached('anvil', chain.head.number);
    const [alert, ...others] = await found(detectorId);
    expect(others).toEqual([]);
    expect(alert!.meta).toMatchObject({ amount: '5000' });
    expect(alert!.meta).not.toHaveProperty('incomplete');
    const [drain, ...more] = await found(outflow);
    expect(more).toEqual([]);
    // 10 are left now, and 5,000 went.
    expect(drain!.meta).toMatchObject({ incomplete: true, outflow: '5000', balanceBefore: '5010' });
    expect(await deferred()).toEqual([]);
  });

  it('needs no old state for a token whose decimals were read before', async () => {
    const token = address('14');
    simulator.calls.clear();
    pruned = Number.POSITIVE_INFINITY;
    chain.extend([block(move(token, vault, thief, 7000n * unit)), {}]);
    await vigil.reached('anvil', chain.head.number);
    const alerts = await vigil.alerts('name:large_transfer');
    expect(alerts.filter(({ meta }) => meta.amount === '7000')).toHaveLength(1);
    pruned = 0;
  });
});

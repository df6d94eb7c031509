import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bitcoind, findBitcoind, startBitcoind } from '../../testing/startBitcoind.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { addRoomyPlan } from './support/addRoomyPlan.ts';
import { skipWaits } from './support/intents.ts';
import { addBitcoinWallet, createBitcoinKey, toRegtest } from './support/useBitcoinWallet.ts';

const command = findBitcoind();
const safe = createBitcoinKey(99).address;
const ends = ['CONFIRMED', 'FAILED', 'SKIPPED', 'CANCELED'];

describe('actions on Bitcoin', () => {
  let node: Bitcoind;
  let vigil: TestWatch;
  let seed = 0;

  beforeEach(({ skip }) => skip(!command, 'There is no bitcoind; `.ci/bitcoind` fetches one.'));
  beforeAll(async () => {
    if (!command) return;
    node = await startBitcoind(command);
    await node.mine(110);
    vigil = await startTestWatch({ bitcoin: { urls: [node.url], confirmations: 1 } });
    await addRoomyPlan(vigil);
    vigil.act({ stuckMs: 1000 });
  });
  afterAll(async () => {
    await vigil?.stop();
    await node?.stop();
  });

  async function addWallet(amounts: readonly number[], members: Json = {}) {
    const key = createBitcoinKey(++seed);
    return { ...(await addBitcoinWallet(vigil, node, key, amounts, members)), ...key };
  }
  type Wallet = Awaited<ReturnType<typeof addWallet>>;

  const addAction = ({ wallet, contractId }: Wallet, members: Json = {}): Promise<Json> =>
    vigil.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: 'Rescue',
      funcSignature: 'sweep(address to)',
      params: [{ name: 'to', value: safe }],
      fireAt: 'head',
      ...members,
    });
  const send = (sats: number) => ({
    funcSignature: 'send(address to, uint64 sats)',
    params: [
      { name: 'to', value: safe },
      { name: 'sats', value: String(sats) },
    ],
  });
  const execute = ({ id }: Json) => vigil.ok('POST', `action/${id}/execute`, {});
  const intents = async ({ id }: Json): Promise<Json[]> =>
    (await vigil.ok('GET', `action/${id}/intent`)).data;

  /** The newest intent, once it is so. */
  async function until1(action: Json, isSo: (intent: Json) => boolean, meanwhile?: () => Promise<unknown>) {
    let found: Json | undefined;
    await until(async () => {
      await skipWaits(vigil);
      [found] = await intents(action);
      if (found && isSo(found)) return true;
      await meanwhile?.();
      return false;
    });
    return found!;
  }
  const submitted = (action: Json) => until1(action, ({ state }) => state === 'SUBMITTED');
  const ended = (action: Json) =>
    until1(
      action,
      ({ state }) => ends.includes(state),
      () => node.mine(),
    );
  /** What the address has on the chain, in satoshis. */
  const balanceOf = async (address: string) => {
    const found = await node.rpc<Json>('scantxoutset', 'start', [`addr(${toRegtest(address)})`]);
    return Math.round(found.total_amount * 1e8);
  };

  it('pays an amount and keeps the change, once, and says before what it would do', async () => {
    const wallet = await addWallet([0.5, 0.25]);
    const action = await addAction(wallet, send(30_000_000));
    const before = await balanceOf(safe);
    const simulated = await vigil.ok('POST', `action/${action.id}/simulate`, {});
    expect(simulated).toMatchObject({
      fires: true,
      success: true,
      reason: null,
      to: safe,
      data: 'send 30000000',
      gasLimit: '141',
      balance: '75000000',
    });
    await execute(action);
    const intent = await ended(action);
    expect(intent).toMatchObject({ state: 'CONFIRMED', nonce: null, walletAddress: wallet.address });
    expect(intent.cost).toBe(simulated.maxCost);
    expect(await balanceOf(safe)).toBe(before + 30_000_000);
    expect(await balanceOf(wallet.address)).toBe(75_000_000 - Number(intent.cost));
    expect(Number(intent.cost)).toBeLessThan(30_001_000);
  });

  it('sweeps everything, but not dust that costs more than it is worth', async () => {
    const wallet = await addWallet([0.1, 0.2, 0.000003]);
    const before = await balanceOf(safe);
    const action = await addAction(wallet, { gasPrice: '20' });
    await execute(action);
    const intent = await ended(action);
    expect(intent.state).toBe('CONFIRMED');
    expect(await balanceOf(wallet.address)).toBe(300);
    const moved = (await balanceOf(safe)) - before;
    expect(moved).toBe(30_000_000 - 20 * Number(intent.call.gasLimit));
    expect(intent.cost).toBe('30000000');
  });

  it('pays more for a payment that no block takes, with the same coins, and one of the two is mined', async () => {
    const wallet = await addWallet([0.5]);
    const action = await addAction(wallet, send(10_000_000));
    const before = await balanceOf(safe);
    await execute(action);
    const replaced = await until1(action, ({ transactions }) => transactions.length > 1);
    const [first, second] = replaced.transactions;
    expect(Number(second.maxFeePerGas)).toBeGreaterThan(Number(first.maxFeePerGas));
    await until1(action, ({ transactions }) => transactions.at(-1).broadcastAt !== null);
    const [last] = await intents(action);
    const pool = await node.rpc<string[]>('getrawmempool');
    const own = last!.transactions.map(({ hash }: Json) => hash);
    expect(pool.filter((hash) => own.includes(hash))).toHaveLength(1);
    expect((await ended(action)).state).toBe('CONFIRMED');
    expect(await balanceOf(safe)).toBe(before + 10_000_000);
  });

  it('follows a payment whose block is taken back until it is in another one', async () => {
    const wallet = await addWallet([0.5]);
    const action = await addAction(wallet, send(5_000_000));
    const before = await balanceOf(safe);
    await execute(action);
    await submitted(action);
    await node.mine();
    await until1(action, ({ reason }) => /waits for confirmations: 0 of 1/.test(reason));
    await node.rpc('invalidateblock', await node.rpc('getbestblockhash'));
    await until1(action, ({ reason }) => !/confirmations/.test(reason));
    await node.mine(2);
    expect((await ended(action)).state).toBe('CONFIRMED');
    expect(await balanceOf(safe)).toBe(before + 5_000_000);
  });

  it('ends a payment whose coins someone else with the key has spent, when that is certain', async () => {
    const wallet = await addWallet([0.5]);
    const action = await addAction(wallet, send(5_000_000));
    await execute(action);
    const { txHash } = await submitted(action);
    const [{ txid, vout }] = (await node.rpc<Json>('getrawtransaction', txHash, true)).vin;
    const raw = await node.rpc('createrawtransaction', [{ txid, vout }], [{ [await node.address()]: 0.49 }]);
    const { hex } = await node.rpc<Json>('signrawtransactionwithkey', raw, [wallet.testWif]);
    await node.rpc('sendrawtransaction', hex, 0);
    await node.mine();
    expect(
      await until1(
        action,
        ({ state }) => ends.includes(state),
        () => node.mine(),
      ),
    ).toMatchObject({
      state: 'FAILED',
      reason: expect.stringContaining('used by a transaction that Vigil did not send'),
    });
  });

  it('waits for money and is paid once it comes; two calls never spend the same coin', async () => {
    const wallet = await addWallet([0.1]);
    const action = await addAction(wallet, send(9_000_000));
    await execute(action);
    await submitted(action);
    await execute(action);
    const waiting = await until1(action, ({ reason }) => /too little/.test(String(reason)));
    expect(waiting.state).toBe('WAITING');
    await node.pay([[toRegtest(wallet.address), 0.2]]);
    expect((await ended(action)).state).toBe('CONFIRMED');
    expect((await intents(action)).map(({ state }) => state)).toEqual(['CONFIRMED', 'CONFIRMED']);
  });

  it('keeps to what the wallet may spend and pay for a byte', async () => {
    const wallet = await addWallet([0.5], { maxHourlySpend: '0.01', maxGasPrice: '3' });
    const action = await addAction(wallet, { ...send(2_000_000), gasPrice: '50' });
    const simulated = await vigil.ok('POST', `action/${action.id}/simulate`, {});
    expect(simulated).toMatchObject({
      success: false,
      maxFeePerGas: '3000',
      reason: expect.stringMatching(/^The wallet may spend 0\.01 BTC on payments and fees within an hour/),
    });
  });

  it('pays only whom its wallet may pay, also when a script names the address', async () => {
    const allowedCalls = [{ address: createBitcoinKey(98).address, functions: ['sweep(address)'] }];
    const wallet = await addWallet([0.001], { allowedCalls });
    const { detectorId } = wallet;
    const detectors = [{ detectorId, scriptParams: { to: `'${safe}'` } }];
    const action = await addAction(wallet, { params: [], detectors });
    await vigil.ok('POST', `detector/${detectorId}/alert`, { alerts: [{ eid: '1', message: 'An attack.' }] });
    expect(await ended(action)).toMatchObject({
      state: 'FAILED',
      reason: `The wallet may not pay ${safe}: its allowedCalls do not name this address.`,
    });
  });

  it.each([
    [{ funcSignature: 'pause()', params: [] }, '/funcSignature'],
    [{ params: [{ name: 'to', value: '0x0000000000000000000000000000000000000001' }] }, '/params/0/value'],
    [{ params: [{ name: 'to', value: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }] }, '/params/0/value'],
    [{ ...send(0) }, '/params/1/value'],
    [{ ...send(2_100_000_000_000_001) }, '/params/1/value'],
    [{ gasLimit: 21_000 }, '/gasLimit'],
    [{ gasTip: '1' }, '/gasTip'],
  ])('refuses what means nothing there: %j', async (members, pointer) => {
    const wallet = await addWalletOnce();
    const { status, body } = await vigil.call('POST', 'action', {
      contractId: wallet.contractId,
      walletId: wallet.wallet.id,
      name: 'Rescue',
      funcSignature: 'sweep(address to)',
      ...members,
    });
    expect({ status, pointer: body.errors?.[0]?.pointer }).toEqual({ status: 400, pointer });
  });

  let once: Promise<Wallet> | undefined;
  const addWalletOnce = () => (once ??= addWallet([0.001]));
});

import { describe, expect, it } from 'vitest';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { useGuardedVault } from './support/guardedVault.ts';

const chain = useGuardedVault();
const value = () => chain.vault.call('value');

describe('POST /action/{id}/execute', () => {
  it('runs the action with the values given, and answers with its intent at once', async () => {
    const action = await chain.addAction({ params: [{ name: 'value', value: '7' }] });
    const made = await chain.vigil.call('POST', `action/${action.id}/execute`);
    expect([made.status, made.body.state, made.body.binding]).toEqual([201, 'WAITING', 'manual']);
    expect(await chain.ended(action)).toMatchObject([
      { uid: made.body.uid, state: 'CONFIRMED', alertUid: null },
    ]);
    expect(await value()).toBe(7n);
    await chain.vigil.ok('POST', `action/${action.id}/execute`, { params: { value: '0x10' } });
    await chain.ended(action, 2);
    expect(await value()).toBe(16n);
  });

  it('runs once however often it is sent with the same Idempotency-Key', async () => {
    const action = await chain.addAction({ params: [{ name: 'value', value: '7' }] });
    const headers = { 'idempotency-key': 'once' };
    const send = () => chain.vigil.call('POST', `action/${action.id}/execute`, {}, { headers });
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    await send();
    expect(await chain.ended(action)).toHaveLength(1);
  });

  it.each([
    [{ value: 'many' }, /value \(uint256\) must be a whole number/],
    [{ value: '-1' }, /must be from 0 to/],
    [{ amount: '1' }, /The function has no parameter amount; it has value/],
    [{}, /There is no value for value/],
  ])('refuses %j with 422, and stores nothing', async (params, message) => {
    const action = await chain.addAction();
    const { status, body } = await chain.vigil.call('POST', `action/${action.id}/execute`, { params });
    expect([status, body.errors[0].pointer]).toEqual([422, '/params']);
    expect(body.errors[0].message).toMatch(message);
    expect(await chain.intents(action)).toEqual([]);
  });

  it('POST /action/{id}/execute of a call that would revert ends as failed with the contract’s words', async () => {
    const stranger = await chain.addWallet();
    const action = await chain.addAction({ walletId: stranger.id, funcSignature: 'pause()' });
    await chain.vigil.ok('POST', `action/${action.id}/execute`);
    expect(await chain.ended(action)).toMatchObject([
      { state: 'FAILED', reason: expect.stringContaining('NotOwner(who:'), transactions: [] },
    ]);
  });

  it('pays as the action says', async () => {
    const { anvil } = chain;
    for (const [gas, check] of [
      [
        { gasPrice: '20', gasTip: '3' },
        { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 3_000_000_000n },
      ],
      [{ gasPrice: 'fastest', gasLimit: 123_456 }, { gas: 123_456n }],
    ] as const) {
      const action = await chain.addAction({ ...gas, params: [{ name: 'value', value: '1' }] });
      await chain.vigil.ok('POST', `action/${action.id}/execute`);
      const [intent] = await chain.ended(action);
      const mined = await anvil.rpc<Record<string, string>>('eth_getTransactionByHash', intent!.txHash);
      for (const [member, wanted] of Object.entries(check)) expect(BigInt(mined[member]!)).toBe(wanted);
    }
  });
});

describe('POST /action/{id}/simulate', () => {
  it('shows the filled call and what it may cost, and sends nothing', async () => {
    const action = await chain.addAction({ params: [{ name: 'value', value: '7' }] });
    const before = await value();
    const seen = await chain.vigil.ok('POST', `action/${action.id}/simulate`, {
      params: { value: '123456' },
    });
    expect(seen).toMatchObject({
      fires: true,
      success: true,
      reason: null,
      from: chain.wallet.address,
      parameters: [{ name: 'value', type: 'uint256', value: '123456' }],
    });
    expect(seen.data).toContain((123456).toString(16));
    expect(BigInt(seen.maxCost)).toBe(BigInt(seen.gasLimit) * BigInt(seen.maxFeePerGas));
    expect(await chain.intents(action)).toEqual([]);
    expect(await value()).toBe(before);
  });

  it('runs the filter and the scripts of the binding on an alert', async () => {
    const detectorId = await chain.addSource();
    const alertUid = await chain.alert(detectorId, { meta: { amount: '99' } });
    const other = await chain.alert(await chain.addSource());
    const bind = (scriptFilter: string) => ({
      detectors: [{ detectorId, scriptFilter, scriptParams: { value: 'e.meta.amount' } }],
    });
    const action = await chain.addAction(bind('e.meta.amount > 50'));
    const simulate = (uid: string) =>
      chain.vigil.call('POST', `action/${action.id}/simulate`, { alertUid: uid });
    expect((await simulate(alertUid)).body).toMatchObject({ fires: true, parameters: [{ value: '99' }] });
    await chain.vigil.ok('PUT', `action/${action.id}`, bind('false'));
    expect((await simulate(alertUid)).body).toMatchObject({
      fires: false,
      reason: expect.stringContaining('filter'),
    });
    expect((await simulate(other)).status).toBe(422);
    expect((await simulate('00000000-0000-8000-8000-000000000000')).status).toBe(422);
  });

  it('reports why a call would fail, with the decoded error of the contract', async () => {
    const stranger = await chain.addWallet();
    const action = await chain.addAction({ walletId: stranger.id, funcSignature: 'pause()' });
    const seen = await chain.vigil.ok('POST', `action/${action.id}/simulate`);
    expect(seen).toMatchObject({ fires: true, success: false, gasLimit: null });
    expect(seen.reason).toBe(`The call would fail: NotOwner(who: ${stranger.address.toLowerCase()}).`);
  });
});

describe('POST /action/halt', () => {
  it('stops everything that is not signed, until it is taken back', async () => {
    const { vigil } = chain;
    const detectorId = await chain.addSource();
    const action = await chain.addAction({
      params: [{ name: 'value', value: '1' }],
      detectors: [{ detectorId }],
    });
    const token = await vigil.token(vigil.tenantId, 'tenant-manager');
    const halted = await vigil.ok('POST', 'action/halt', undefined, { token });
    expect(halted).toMatchObject({ tenantId: vigil.tenantId, halted: true });
    await chain.alert(detectorId);
    expect(await chain.ended(action)).toMatchObject([{ state: 'CANCELED', reason: 'Actions are halted.' }]);
    const refused = await vigil.call('POST', `action/${action.id}/execute`);
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect(await vigil.ok('GET', 'action/halt', undefined, { token })).toMatchObject({
      halted: true,
      haltedAt: halted.haltedAt,
    });
    await vigil.ok('POST', 'action/resume', undefined, { token });
    await chain.alert(detectorId);
    const found = await chain.ended(action, 2);
    expect(found.map(({ state }) => state)).toEqual(['CONFIRMED', 'CANCELED']);
  });

  it('is a tenant’s own: another one can neither use nor see it', async () => {
    const { vigil } = chain;
    const other = await vigil.ok('POST', 'tenant', { name: 'Others' });
    const token = await vigil.token(other.id, 'tenant-manager');
    const action = await chain.addAction();
    const { tenantId } = vigil;
    const answers = [
      await vigil.call('POST', 'action/halt', { tenantId }, { token }),
      await vigil.call('GET', `action/halt?tenantId=${tenantId}`, undefined, { token }),
      await vigil.call('GET', `action/${action.id}/intent`, undefined, { token }),
      await vigil.call('POST', `action/${action.id}/execute`, {}, { token }),
      await vigil.call('POST', `action/${action.id}/simulate`, {}, { token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await vigil.call('POST', 'action/halt')).status).toBe(400);
    expect(await vigil.ok('GET', `action/halt?tenantId=${tenantId}`)).toMatchObject({ halted: false });
  });
});

describe('a wallet', () => {
  it('never pays more for gas than it may, and says what it waits for', async () => {
    const { vigil, anvil } = chain;
    const thrifty = await chain.addWallet({ maxGasPrice: '0.000000001' });
    const action = await chain.addAction({ walletId: thrifty.id, params: [{ name: 'value', value: '2' }] });
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', '0x3b9aca00');
    await anvil.mine();
    await vigil.ok('POST', `action/${action.id}/execute`);
    const reason = async () => (await chain.intents(action))[0]?.reason;
    await until(async () => (await reason()) !== 'It waits in the queue.');
    expect(await chain.intents(action)).toMatchObject([
      { state: 'WAITING', reason: expect.stringContaining('0.000000001 gwei'), transactions: [] },
    ]);
    await vigil.ok('PUT', `wallet/${thrifty.id}`, { maxGasPrice: '50' });
    expect(await chain.ended(action)).toMatchObject([{ state: 'CONFIRMED' }]);
  });

  it('spends no more within an hour than it may', async () => {
    const thrifty = await chain.addWallet({ maxHourlySpend: '0.0002' });
    const action = await chain.addAction({
      walletId: thrifty.id,
      gasPrice: '2',
      gasTip: '1',
      gasLimit: 60_000,
      params: [{ name: 'value', value: '2' }],
    });
    const states: string[] = [];
    for (let run = 1; run <= 5; run++) {
      await chain.vigil.ok('POST', `action/${action.id}/execute`);
      states.push((await chain.ended(action, run))[0]!.state);
    }
    expect(states).toContain('CONFIRMED');
    expect(states.at(-1)).toBe('FAILED');
    const [last] = await chain.intents(action);
    expect(last!.reason).toMatch(/The wallet may spend 0\.0002 ETH on gas within an hour/);
    const { limits } = await chain.vigil.ok('GET', `wallet/${thrifty.id}/balance`);
    expect(limits).toMatchObject({ maxGasPrice: '1000', maxHourlySpend: '0.0002' });
    expect(BigInt(limits.spentLastHour)).toBeLessThanOrEqual(200_000_000_000_000n);
    expect(BigInt(limits.spentLastHour)).toBeGreaterThan(0n);
  });

  it('a wallet that was rotated signs with its new key, and what the old one has sent is followed to its end', async () => {
    const { vigil, anvil } = chain;
    const turning = await chain.addWallet();
    const action = await chain.addAction({ walletId: turning.id, params: [{ name: 'value', value: '3' }] });
    await anvil.setAutomine(false);
    await vigil.ok('POST', `action/${action.id}/execute`);
    await until(async () => (await chain.intents(action))[0]?.state === 'SUBMITTED');
    const rotated: Json = await vigil.ok('POST', `wallet/${turning.id}/rotate`);
    await anvil.setBalance(rotated.address, 10n ** 18n);
    await vigil.ok('POST', `action/${action.id}/execute`);
    await until(async () => (await chain.intents(action))[0]?.state === 'SUBMITTED');
    await anvil.mine();
    await anvil.setAutomine(true);
    const found = await chain.ended(action, 2);
    expect(found.map(({ state, walletAddress }) => [state, walletAddress])).toEqual([
      ['CONFIRMED', rotated.address],
      ['CONFIRMED', turning.address],
    ]);
  });

  it('a wallet that actions sign with cannot be deleted without saying so', async () => {
    const wallet = await chain.addWallet();
    await chain.addAction({ walletId: wallet.id });
    const refused = await chain.vigil.call('DELETE', `wallet/${wallet.id}`);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining('actions sign with this wallet'),
    ]);
  });
});

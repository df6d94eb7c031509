import { describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { useGuardedVault } from './support/guardedVault.ts';

const chain = useGuardedVault();
const value = () => chain.vault.call('value');
const outcomes = (alerts: readonly Json[]) => alerts.map(({ meta }) => meta.outcome);

describe('an alert', () => {
  it('fires the action that is bound to its detector: once, signed, mined, and reported by action alerts', async () => {
    const detectorId = await chain.addSource();
    const action = await chain.addAction({
      params: [{ name: 'value', value: '41' }],
      detectors: [{ detectorId }],
    });
    const alertUid = await chain.alert(detectorId);
    const [intent, ...others] = await chain.ended(action);
    expect(others).toEqual([]);
    expect(intent).toMatchObject({
      state: 'CONFIRMED',
      reason: null,
      alertUid,
      binding: `detector ${action.detectors[0].id}`,
      walletId: chain.wallet.id,
      walletAddress: chain.wallet.address,
      call: { to: expect.any(String), parameters: [{ name: 'value', type: 'uint256', value: '41' }] },
      transactions: [{ hash: intent!.txHash, isVoid: false }],
    });
    expect(await value()).toBe(41n);
    const receipt = await chain.anvil.receipt(intent!.txHash);
    expect(intent).toMatchObject({ minedBlock: Number(receipt.blockNumber) });
    const told = await chain.outcomeAlerts(action);
    expect(outcomes(told)).toEqual(['submitted', 'confirmed']);
    for (const alert of told)
      expect(alert).toMatchObject({
        severity: 'CRITICAL',
        actionId: action.id,
        name: action.name,
        txHash: intent!.txHash,
        contractId: chain.contractId,
        walletId: chain.wallet.id,
        walletName: 'Guardian',
        walletChainUid: 'anvil',
        walletAddress: chain.wallet.address,
        meta: { alertUid, intentUid: intent!.uid },
      });
  });

  it('an alert raised again fires nothing again', async () => {
    const detectorId = await chain.addSource();
    const action = await chain.addAction({
      params: [{ name: 'value', value: '1' }],
      detectors: [{ detectorId }],
    });
    await chain.alert(detectorId, { eid: 'same' });
    await chain.alert(detectorId, { eid: 'same' });
    expect(await chain.ended(action)).toHaveLength(1);
  });

  it('fires by filter and fills parameters from itself and from the action, in either style', async () => {
    const detectorId = await chain.addSource();
    const action = await chain.addAction({
      detectors: [
        {
          detectorId,
          scriptFilter: "e.numericSeverity >= 70 && e.getMeta().kind === 'drain' && a.getName() === a.name",
          scriptParams: { value: 'BigInt(e.meta.amount) * 2n' },
        },
      ],
    });
    await chain.alert(detectorId, {
      severity: 'HIGH',
      meta: { kind: 'drain', amount: '1000000000000000001' },
    });
    await chain.alert(detectorId, { severity: 'LOW', meta: { kind: 'drain', amount: '5' } });
    await chain.alert(detectorId, { severity: 'HIGH', meta: { kind: 'other' } });
    const found = await chain.ended(action, 3);
    expect(found.map(({ state }) => state)).toEqual(['SKIPPED', 'SKIPPED', 'CONFIRMED']);
    expect(await value()).toBe(2000000000000000002n);
    expect(outcomes(await chain.outcomeAlerts(action))).toEqual(['submitted', 'confirmed']);
  });

  it('compares addresses in any form: as a filter writes them, as an alert has them and as the action has them', async () => {
    const detectorId = await chain.addSource();
    const mixed = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
    const action = await chain.addAction({
      detectors: [
        {
          detectorId,
          scriptFilter: `e.meta.from === '${mixed}' && e.meta.to === a.contract.address`,
          scriptParams: { value: '3' },
        },
      ],
    });
    const { address } = chain.vault;
    await chain.alert(detectorId, { meta: { from: mixed.toLowerCase(), to: address.toLowerCase() } });
    await chain.alert(detectorId, { meta: { from: mixed, to: address } });
    await chain.alert(detectorId, { meta: { from: address, to: address } });
    const found = await chain.ended(action, 3);
    expect(found.filter(({ state }) => state === 'CONFIRMED')).toHaveLength(2);
    expect(found.filter(({ state }) => state === 'SKIPPED')).toHaveLength(1);
  });

  it('an alert of a trigger on chain fires with the decoded event at hand', async () => {
    const { vigil, vault, anvil } = chain;
    const trigger = await vigil.ok('POST', 'trigger', {
      contractId: chain.contractId,
      name: 'Deposits',
      triggerType: 'EVENT_EMITTED',
      params: { signature: 'Deposited(address indexed who, address indexed token, uint256 amount)' },
      alerts: [{ severity: 'HIGH', name: 'Deposited' }],
    });
    const action = await chain.addAction({
      triggerAlerts: [
        {
          triggerAlertId: trigger.alerts[0].id,
          scriptFilter: "e.meta.args.amount !== '0'",
          scriptParams: { value: 'e.meta.args.amount' },
        },
      ],
    });
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    await vault.send({ from: anvil.accounts[3], value: 777n }, 'deposit');
    const [intent] = await chain.ended(action);
    expect(intent).toMatchObject({ state: 'CONFIRMED', binding: `trigger ${action.triggerAlerts[0].id}` });
    expect(await value()).toBe(777n);
  });

  it('fires when a condition begins to hold, and not when it ends', async () => {
    const { vigil, vault, anvil } = chain;
    const [, , sender] = anvil.accounts;
    const detectorId = await vigil.addDetector(chain.contractId, 'contract_call', {
      function: 'totalAssets()(uint256)',
      condition: '> 20',
      when: 'block',
    });
    const action = await chain.addAction({
      params: [{ name: 'value', value: '5' }],
      detectors: [{ detectorId }],
    });
    const found = () => vigil.alerts(`detectorId:${detectorId}`);
    const setAssets = (assets: bigint) => vault.send(sender, 'setShares', 1n, assets);
    await vigil.informed();
    await setAssets(25n);
    await anvil.mine(2);
    await setAssets(7n);
    await until(async () => (await found()).length >= 2);
    await setAssets(25n);
    await until(async () => (await found()).length >= 3);
    expect((await chain.ended(action, 2)).map(({ state }) => state)).toEqual(['CONFIRMED', 'CONFIRMED']);
    const raised = (await found()).sort((a, b) => a.blockNumber - b.blockNumber);
    expect(raised.map(({ severity, meta }) => [severity, meta.ended])).toEqual([
      ['MEDIUM', undefined],
      ['INFO', true],
      ['MEDIUM', undefined],
    ]);
    const outcome = await vigil.ok('GET', `alert/${raised[1]!.uid}/outcome`);
    expect(outcome).toMatchObject({ intents: [], nextStep: expect.stringContaining('It is over') });
  });

  it('an alert that is only tried out fires nothing', async () => {
    const detectorId = await chain.addSource();
    const action = await chain.addAction({
      params: [{ name: 'value', value: '1' }],
      detectors: [{ detectorId }],
    });
    await chain.alert(detectorId, { tags: ['shadow'] });
    await chain.alert(detectorId);
    expect(await chain.ended(action)).toHaveLength(1);
  });

  it('notifies destinations of the outcome of the action, and counts it', async () => {
    const { vigil } = chain;
    const before = await counted();
    const detectorId = await chain.addSource();
    const destination = await vigil.ok('POST', 'destination', {
      tenantId: vigil.tenantId,
      type: 'HTTP',
      uri: 'https://example.com/hook',
    });
    const action = await chain.addAction({
      params: [{ name: 'value', value: '9' }],
      detectors: [{ detectorId }],
      destinations: [{ tenantDestinationId: destination.id }],
    });
    await chain.alert(detectorId);
    await chain.ended(action);
    const { data: deliveries } = await vigil.ok('GET', `destination/${destination.id}/delivery`);
    expect(deliveries.map(({ type }: Json) => type)).toEqual(['action.confirmed', 'action.submitted']);
    const after = await counted();
    expect(after.confirmed - before.confirmed).toBe(1);
    expect(after.submitted - before.submitted).toBe(1);
    const histogram = await vigil.ok('POST', `contract/${chain.contractId}/histogram`, {
      from: Date.now() - 3_600_000,
      to: Date.now() + 3_600_000,
      interval: '1d',
      query: `actionId:${action.id}`,
    });
    const counts = histogram.data.flatMap(({ bucket }: Json) => bucket.action?.count ?? []);
    expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(2);

    async function counted(): Promise<{ confirmed: number; submitted: number }> {
      const rows = await vigil.store.query<{ type: string; value: number }>(
        // Those of the platform are added up later.
        sql`select labels->>'type' as type, sum(value)::float8 as value
          from (select labels, value from metric_sample where metric = 'actions' and tenant_id = 0
            union all select labels, value from platform_sample where metric = 'actions') s group by 1`,
      );
      return { confirmed: 0, submitted: 0, ...Object.fromEntries(rows.map((row) => [row.type, row.value])) };
    }
  });
});

describe('what cannot be done', () => {
  async function fired(members: Json, alert: Json = {}): Promise<{ intent: Json; alerts: Json[] }> {
    const detectorId = await chain.addSource();
    const { scriptFilter, scriptParams = {}, ...rest } = members;
    const action = await chain.addAction({
      ...rest,
      detectors: [{ detectorId, scriptFilter, scriptParams }],
    });
    await chain.alert(detectorId, alert);
    const [intent] = await chain.ended(action);
    return { intent: intent!, alerts: await chain.outcomeAlerts(action) };
  }

  const filled = { scriptParams: { value: '1' } };

  it.each([
    ['a filter that throws', { scriptFilter: 'e.meta.nothing.at.all', ...filled }, /The filter fails/],
    [
      'a filter that is neither true nor false',
      { scriptFilter: 'e.meta && "yes"', ...filled },
      /must give true or false/,
    ],
    [
      'a filter that does not end',
      { scriptFilter: '(() => { for (; e.meta; ); })()', ...filled },
      /The filter fails: the script ran for more than 50 ms/,
    ],
    ['a missing value', { scriptParams: { value: 'e.meta.nothing' } }, /value \(uint256\) must be/],
    [
      'a value of another type',
      { scriptParams: { value: '"many"' } },
      /value \(uint256\) must be a whole number/,
    ],
    ['a value that is too large', { scriptParams: { value: '2n ** 256n' } }, /must be from 0 to/],
    ['a negative value', { scriptParams: { value: '-1' } }, /must be from 0 to/],
  ])('%s ends the intent with the reason, and nothing is sent', async (_name, members, reason) => {
    const nonce = await chain.anvil.rpc('eth_getTransactionCount', chain.wallet.address, 'latest');
    const { intent, alerts } = await fired(members);
    expect(intent).toMatchObject({ state: 'FAILED', reason: expect.stringMatching(reason), txHash: null });
    expect(outcomes(alerts)).toEqual(['failed']);
    expect(alerts[0]).toMatchObject({
      message: expect.stringMatching(reason),
      meta: { reason: intent.reason },
    });
    expect(await chain.anvil.rpc('eth_getTransactionCount', chain.wallet.address, 'latest')).toBe(nonce);
  });

  it('a call that would revert is not sent, and the contract’s own error is reported', async () => {
    const stranger = await chain.addWallet();
    const { intent } = await fired({ walletId: stranger.id, funcSignature: 'pause()' });
    expect(intent).toMatchObject({ state: 'FAILED', txHash: null });
    expect(intent.reason).toBe(`The call would fail: NotOwner(who: ${stranger.address.toLowerCase()}).`);
  });

  it('a call that the wallet cannot pay waits, is reported once, and is sent once when the wallet is funded', async () => {
    const poor = await chain.addWallet({}, 1000n);
    const detectorId = await chain.addSource();
    const params = [{ name: 'value', value: '77' }];
    const action = await chain.addAction({ walletId: poor.id, params, detectors: [{ detectorId }] });
    await chain.alert(detectorId);
    const waiting = await until(async () =>
      (await chain.intents(action)).find(({ reason }) =>
        reason?.startsWith('The wallet has 0.000000000000001 ETH'),
      ),
    );
    expect(waiting).toMatchObject({ state: 'WAITING', txHash: null });
    const nextAttempt = async () =>
      (
        await chain.vigil.store.query<{ at: number }>(
          sql`select next_attempt_at as at from action_intent where uid = ${waiting.uid}::uuid`,
        )
      )[0]!.at;
    const first = await nextAttempt();
    // It is tried again meanwhile.
    await until(async () => (await nextAttempt()) > first);
    await chain.anvil.setBalance(poor.address, 10n ** 18n);
    const [intent, ...others] = await chain.ended(action);
    expect(others).toEqual([]);
    expect(intent).toMatchObject({ state: 'CONFIRMED', reason: null });
    expect(await value()).toBe(77n);
    expect(await chain.anvil.rpc('eth_getTransactionCount', poor.address, 'latest')).toBe('0x1');
    const told = await chain.outcomeAlerts(action);
    expect(outcomes(told)).toEqual(['waiting', 'submitted', 'confirmed']);
    expect(told[0]!.message).toMatch(/waits for money.*It is sent once the wallet 0x/);
  });

  it('a gas limit that is too low is reported before anything is sent', async () => {
    const { intent } = await fired({ gasLimit: 21_500, params: [{ name: 'value', value: '1' }] });
    expect(intent.reason).toMatch(/needs about \d+ gas, and the action's limit is 21500/);
  });

  it('a call that reverts only when it is mined ends as failed, with what it cost', async () => {
    const { anvil, vault, wallet } = chain;
    const detectorId = await chain.addSource();
    const action = await chain.addAction({ funcSignature: 'pause()', detectors: [{ detectorId }] });
    await anvil.setAutomine(false);
    await chain.alert(detectorId);
    await until(async () => (await chain.intents(action))[0]?.state === 'SUBMITTED');
    // The owner changes under its feet, in the same block and before it.
    const owner = await vault.call('owner');
    const slot = 0n;
    const before = await anvil.rpc<`0x${string}`>('eth_getStorageAt', vault.address, '0x0', 'latest');
    await anvil.setStorage(vault.address, slot, 1n);
    await anvil.mine();
    await anvil.setAutomine(true);
    const [intent] = await chain.ended(action);
    await anvil.setStorage(vault.address, slot, before);
    expect(await vault.call('owner')).toBe(owner);
    expect(intent).toMatchObject({
      state: 'FAILED',
      reason: expect.stringMatching(/mined and reverted: NotOwner/),
    });
    expect(BigInt(intent!.cost)).toBeGreaterThan(0n);
    expect(outcomes(await chain.outcomeAlerts(action))).toEqual(['submitted', 'failed']);
    expect(wallet.address).toBe(intent!.walletAddress);
  });

  it('a wallet or an action that is no longer active fires nothing', async () => {
    const retired = await chain.addWallet();
    const detectorId = await chain.addSource();
    const action = await chain.addAction({
      walletId: retired.id,
      params: [{ name: 'value', value: '1' }],
      detectors: [{ detectorId }],
    });
    await chain.vigil.ok('PUT', `wallet/${retired.id}`, { status: 'DISABLED' });
    await chain.alert(detectorId);
    expect(await chain.ended(action)).toMatchObject([
      { state: 'CANCELED', reason: 'The wallet is no longer active.' },
    ]);
  });
});

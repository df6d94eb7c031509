import { describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { useGuardedVault } from './support/guardedVault.ts';

const chain = useGuardedVault();
const hourMs = 3_600_000;
const one = { params: [{ name: 'value', value: '1' }] };

describe('usage', () => {
  it('counts an execution once, and a call that was never sent not at all', async () => {
    const { vigil } = chain;
    const from = Date.now() - 120_000;
    const count = async () => {
      const body = { from, to: Date.now() + 60_000, interval: '1d' };
      const { data } = await vigil.ok('POST', `tenant/${vigil.tenantId}/dashboard/usage`, body);
      return data.reduce((sum: number, { bucket }: Json) => sum + bucket.actions, 0);
    };
    const before = await count();
    const action = await chain.addAction(one);
    await vigil.ok('POST', `action/${action.id}/execute`);
    await chain.ended(action);
    expect(await count()).toBe(before + 1);
    const stranger = await chain.addWallet();
    const failing = await chain.addAction({ funcSignature: 'pause()', walletId: stranger.id });
    await vigil.ok('POST', `action/${failing.id}/execute`);
    expect(await chain.ended(failing)).toMatchObject([{ state: 'FAILED' }]);
    expect(await count()).toBe(before + 1);
  });
});

describe('simulating', () => {
  it('says what firing would say: the hourly limit, what is reserved, and the price of gas', async () => {
    const { vigil } = chain;
    const thrifty = await chain.addWallet();
    const gas = { gasPrice: '2', gasTip: '1', gasLimit: 60_000 };
    const action = await chain.addAction({ ...one, ...gas, walletId: thrifty.id });
    const simulate = () => vigil.ok('POST', `action/${action.id}/simulate`);
    expect(await simulate()).toMatchObject({ success: true, reason: null, maxCost: '120000000000000' });
    await vigil.ok('PUT', `wallet/${thrifty.id}`, { maxHourlySpend: '0.00000001' });
    const seen = await simulate();
    expect(seen).toMatchObject({ success: false, maxCost: '120000000000000' });
    expect(seen.reason).toMatch(/^The wallet may spend 0\.00000001 ETH on gas within an hour; /);
    await vigil.ok('POST', `action/${action.id}/execute`);
    expect(await chain.ended(action)).toMatchObject([{ state: 'FAILED', reason: seen.reason }]);
  });

  it('counts what calls under way have reserved', async () => {
    const { vigil, anvil } = chain;
    const gas = { gasPrice: '2', gasTip: '1', gasLimit: 60_000 };
    // Enough for one call and a half.
    const wallet = await chain.addWallet({}, 180_000_000_000_000n);
    const action = await chain.addAction({ ...one, ...gas, walletId: wallet.id });
    await anvil.setAutomine(false);
    await vigil.ok('POST', `action/${action.id}/execute`);
    await until(async () => (await chain.intents(action))[0]?.state === 'SUBMITTED');
    const seen = await vigil.ok('POST', `action/${action.id}/simulate`);
    expect(seen).toMatchObject({ fires: true, success: false });
    expect(seen.reason).toMatch(/^The wallet has 0\.00018 ETH, of which 0\.00012 ETH are reserved/);
    await anvil.setAutomine(true);
    await anvil.mine();
    await chain.ended(action);
  });
});

describe('an alert of long ago', () => {
  it('an alert of long ago that is pushed is stored as back-filled: it notifies no one and fires nothing that does not allow its age', async () => {
    const { vigil } = chain;
    const { tenantId } = vigil;
    const destination = await vigil.ok('POST', 'destination', {
      tenantId,
      type: 'HTTP',
      uri: 'https://example.com/hook',
    });
    const detectorId = await chain.addSource();
    await vigil.ok('PUT', `detector/${detectorId}`, {
      destinations: [{ tenantDestinationId: destination.id }],
    });
    const careful = await chain.addAction({ ...one, detectors: [{ detectorId }] });
    const patient = await chain.addAction({ ...one, detectors: [{ detectorId }], maxAlertAge: null });
    expect(await vigil.ok('GET', `action/${careful.id}`)).toMatchObject({ maxAlertAge: hourMs });
    expect(await vigil.ok('GET', `action/${patient.id}`)).toMatchObject({ maxAlertAge: null });
    const old = await chain.alert(detectorId, { timestamp: Date.now() - 2 * hourMs });
    const fresh = await chain.alert(detectorId, { timestamp: Date.now() - hourMs / 2 });
    expect(await vigil.ok('GET', `alert/${old}`)).toMatchObject({ backfilled: true });
    expect(await vigil.ok('GET', `alert/${fresh}`)).toMatchObject({ backfilled: false });
    expect((await chain.ended(careful)).map(({ alertUid }) => alertUid)).toEqual([fresh]);
    expect((await chain.ended(patient, 2)).map(({ state }) => state)).toEqual(['CONFIRMED', 'CONFIRMED']);
    const { data } = await vigil.ok('GET', `destination/${destination.id}/delivery?size=100`);
    const notified = new Set(data.map(({ alertUid }: Json) => alertUid));
    expect([notified.has(fresh), notified.has(old)]).toEqual([true, false]);
  });

  it('an alert of long ago that is found while catching up is skipped by the action, which says so', async () => {
    const { vigil } = chain;
    const detectorId = await chain.addSource();
    const action = await chain.addAction({ ...one, detectors: [{ detectorId }], maxAlertAge: 600_000 });
    const finding = {
      tenantId: vigil.tenantId,
      projectId: vigil.projectId,
      contractId: chain.contractId,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'HIGH',
      timestamp: Date.now() - hourMs,
      key: 'late',
      eid: 'late',
      name: 'Late',
      message: 'Found late.',
      meta: {},
      tags: [],
      detectorId,
    } as const;
    await prepareRaise(vigil.store, [finding]);
    await vigil.store.transaction((tx) => raiseAlerts(tx, [finding], vigil.services.alertHooks));
    expect(await chain.ended(action)).toMatchObject([
      {
        state: 'SKIPPED',
        reason: 'The alert was 3600 s old; the action fires for alerts of at most 600 s (maxAlertAge).',
      },
    ]);
  });
});

describe('an action', () => {
  it('does not fire itself for ever, and leads to another one once', async () => {
    const { vigil, anvil } = chain;
    // The calls of the tests before this one must not raise the trigger.
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    const trigger = await vigil.ok('POST', 'trigger', {
      contractId: chain.contractId,
      name: 'Values',
      triggerType: 'EVENT_EMITTED',
      params: { signature: 'ValueSet(uint256 previous, uint256 current)' },
      alerts: [{ severity: 'HIGH', name: 'Set' }],
    });
    const triggerAlerts = [
      {
        triggerAlertId: trigger.alerts[0].id,
        scriptParams: { value: 'BigInt(e.meta.args.current) + 1n' },
      },
    ];
    const first = await chain.addAction({ triggerAlerts });
    const second = await chain.addAction({ triggerAlerts });
    await vigil.ok('POST', `action/${first.id}/execute`, { params: { value: '1000' } });
    const [ofSecond, ofFirst] = [await chain.ended(second, 2), await chain.ended(first, 3)];
    await vigil.ok('DELETE', `trigger/${trigger.id}`);
    const loop = {
      state: 'SKIPPED',
      reason: expect.stringMatching(/raised by a transaction of this action/),
    };
    expect(ofSecond).toMatchObject([loop, { state: 'CONFIRMED' }]);
    expect(ofFirst).toMatchObject([loop, loop, { state: 'CONFIRMED', binding: 'manual' }]);
    expect(await chain.vault.call('value')).toBe(1001n);
  });

  it('follows from at most three others, one after the other', async () => {
    const { vigil, anvil } = chain;
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    const trigger = await vigil.ok('POST', 'trigger', {
      contractId: chain.contractId,
      name: 'Steps',
      triggerType: 'EVENT_EMITTED',
      params: { signature: 'ValueSet(uint256 previous, uint256 current)' },
      alerts: [{ severity: 'HIGH', name: 'Step' }],
    });
    const step = (n: number) => ({
      params: [{ name: 'value', value: String(2000 + n) }],
      triggerAlerts: [
        { triggerAlertId: trigger.alerts[0].id, scriptFilter: `e.meta.args.current == ${2000 + n - 1}` },
      ],
    });
    const first = await chain.addAction({ params: [{ name: 'value', value: '2001' }] });
    const steps: Json[] = [];
    for (const n of [2, 3, 4, 5]) steps.push(await chain.addAction(step(n)));
    await vigil.ok('POST', `action/${first.id}/execute`);
    // Each of the four calls raises an alert that is shown to every step.
    const seen = await Promise.all(steps.map((action) => chain.ended(action, 4)));
    await vigil.ok('DELETE', `trigger/${trigger.id}`);
    const fired = seen.map((intents) => intents.filter(({ state }) => state === 'CONFIRMED').length);
    expect(fired).toEqual([1, 1, 1, 0]);
    const reasons = seen[3]!.map(({ reason }) => reason);
    expect(reasons).toContainEqual(expect.stringMatching(/3 actions led to/));
    expect(await chain.vault.call('value')).toBe(2004n);
  });

  it('an action whose filter never ends is stopped after three times, until it is saved again; its others go on', async () => {
    const { vigil } = chain;
    const detectorId = await chain.addSource();
    const bind = (scriptFilter: string) => ({ detectors: [{ detectorId, scriptFilter }] });
    const action = await chain.addAction({ ...one, ...bind('(() => { for (; e.meta; ); })()') });
    const alerts = Array.from({ length: 6 }, (_, n) => ({ eid: `loop ${n}`, message: 'Again.' }));
    await vigil.ok('POST', `detector/${detectorId}/alert`, { alerts });
    const found = (await chain.ended(action, 6)).toReversed();
    expect(found.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'FAILED'));
    for (const { reason } of found.slice(0, 2)) expect(reason).toMatch(/^The filter fails: [^.]*\.$/);
    expect(found[2]!.reason).toMatch(/^The filter fails: .* 3 times in a row: .* until the action is saved/);
    for (const { reason } of found.slice(3)) expect(reason).toMatch(/^The scripts ran out of time before\./);
    expect(await chain.outcomeAlerts(action)).toHaveLength(6);
    await vigil.ok('PUT', `action/${action.id}`, bind('true'));
    await chain.alert(detectorId);
    expect((await chain.ended(action, 7))[0]).toMatchObject({ state: 'CONFIRMED' });
  });

  it('an action that waits says what for', async () => {
    const { vigil, anvil } = chain;
    await anvil.setAutomine(false);
    const action = await chain.addAction(one);
    const [before, behind] = [
      await vigil.ok('POST', `action/${action.id}/execute`),
      await vigil.ok('POST', `action/${action.id}/execute`),
    ];
    expect(before).toMatchObject({ state: 'WAITING', reason: 'It waits in the queue.' });
    const find = async ({ uid }: Json) => (await chain.intents(action)).find((intent) => intent.uid === uid)!;
    await until(async () => (await find(behind)).state === 'SUBMITTED');
    expect((await find(before)).reason).toBe('It was sent and waits to be mined.');
    expect((await find(behind)).reason).toMatch(/It was sent and waits: .* nonce \d+ is not mined yet/);
    await anvil.setAutomine(true);
    await anvil.mine();
    await chain.ended(action, 2);
  });
});

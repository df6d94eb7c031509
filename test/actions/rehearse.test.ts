import { describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useGuardedVault } from './support/guardedVault.ts';

const chain = useGuardedVault();
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

describe('a rehearsal', () => {
  it('shows what the last alerts would make the action do now, and does none of it', async () => {
    const { vigil, wallet } = chain;
    const detectorId = await chain.addSource();
    const action = await chain.addAction({
      // An action that is not allowed for alerts of this age fires nothing while the test prepares.
      maxAlertAge: 1000,
      detectors: [
        { detectorId, scriptFilter: 'e.numericSeverity >= 70', scriptParams: { value: 'e.meta.value' } },
      ],
    });
    const old = Date.now() - 3_600_000;
    const uids: string[] = [];
    for (const [n, members] of [
      { meta: { value: 7 } },
      { meta: { value: 'seven' } },
      { meta: { value: 8 }, severity: 'LOW' },
      { meta: { value: 7 } },
      { meta: { value: 9 } },
    ].entries())
      uids.push(await chain.alert(detectorId, { timestamp: old + n, ...members }));
    const head = await chain.anvil.block();
    const { block, alerts, skipped, data } = await vigil.ok('POST', `action/${action.id}/rehearse`, {
      size: 4,
    });
    expect(block).toEqual({
      number: Number(head.number),
      hash: head.hash,
      timestamp: Number(head.timestamp) * 1000,
    });
    expect({ alerts, skipped }).toEqual({ alerts: 5, skipped: 1 });
    expect(data.map(({ alert }: { alert: { uid: string } }) => alert.uid)).toEqual([
      uids[4],
      uids[3],
      uids[1],
      uids[0],
    ]);
    expect(data[0]).toMatchObject({
      alert: { timestamp: old + 4, severity: 'CRITICAL', message: 'An attack.' },
      binding: `detector ${action.detectors[0].id}`,
      fires: true,
      success: true,
      reason: null,
      from: wallet.address,
      to: chain.vault.address,
      parameters: [{ name: 'value', type: 'uint256', value: '9' }],
      gasLimit: expect.stringMatching(/^\d+$/),
      maxCost: expect.stringMatching(/^\d+$/),
      changes: [],
      storage: [{ address: chain.vault.address.toLowerCase(), before: word(0n), after: word(9n) }],
    });
    expect(data[0].data).toMatch(/^0x[0-9a-f]{72}$/);
    expect(data[1].storage[0].after).toBe(word(7n));
    expect(data[2]).toMatchObject({ fires: false, success: false, data: null, storage: null });
    expect(data[2].reason).toContain('value');
    expect(await chain.vault.call('value')).toBe(0n);
    expect(await chain.anvil.rpc('eth_getTransactionCount', wallet.address, 'pending')).toBe('0x0');
    const signed = await vigil.store.query(sql`select 1 from action_transaction`);
    expect(signed).toEqual([]);
  });

  it('says why the call would fail', async () => {
    const stranger = await chain.addWallet({ name: 'Stranger' });
    const detectorId = await chain.addSource();
    const action = await chain.addAction({
      walletId: stranger.id,
      maxAlertAge: 1000,
      funcSignature: 'pause()',
      detectors: [{ detectorId }],
    });
    await chain.alert(detectorId, { timestamp: Date.now() - 3_600_000 });
    const { data } = await chain.vigil.ok('POST', `action/${action.id}/rehearse`);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      fires: true,
      success: false,
      reason: expect.stringMatching(/^The call would fail: /),
      changes: null,
      storage: null,
    });
  });

  it('tries the own parameters of an action that no alert fired yet, and shows the tokens that move', async () => {
    const token = await chain.anvil.deploy(artifacts.Token, 'Real Dollar', 'RUSD', 6, 1000n);
    const { wallet, vigil } = chain;
    await token.send(chain.anvil.accounts[0], 'transfer', wallet.address, 500n);
    const contractId = await vigil.addContract(token.address, { name: 'RUSD', abi: artifacts.Token.abi });
    const safe = '0x00000000000000000000000000000000000000aa';
    const rescue = (params: object[]) =>
      chain.addAction({ contractId, funcSignature: 'transfer(address to, uint256 amount)', params });
    const whole = await rescue([
      { name: 'to', value: safe },
      { name: 'amount', value: '500' },
    ]);
    const asset = token.address.toLowerCase();
    const { alerts, data } = await vigil.ok('POST', `action/${whole.id}/rehearse`);
    expect(alerts).toBe(0);
    expect(data).toMatchObject([{ alert: null, binding: 'manual', fires: true, success: true }]);
    expect(data[0].changes).toEqual([
      { address: wallet.address.toLowerCase(), asset, tokenId: null, amount: '-500' },
      { address: safe, asset, tokenId: null, amount: '500' },
    ]);
    const partly = await rescue([{ name: 'to', value: safe }]);
    expect(await vigil.ok('POST', `action/${partly.id}/rehearse`)).toEqual({
      block: null,
      alerts: 0,
      skipped: 0,
      data: [],
    });
  });

  it('is of the own tenant alone, and of no more than twenty alerts', async () => {
    const { vigil } = chain;
    const action = await chain.addAction({ params: [{ name: 'value', value: '41' }] });
    const { id } = await vigil.ok('POST', 'tenant', { name: 'Others' });
    const token = await vigil.token(id, 'tenant-manager');
    const foreign = await vigil.call('POST', `action/${action.id}/rehearse`, {}, { token });
    const missing = await vigil.call('POST', 'action/999999/rehearse', {}, { token });
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    const { requestId: _one, instance: _two, ...problem } = foreign.body;
    const { requestId: _three, instance: _four, ...same } = missing.body;
    expect(problem).toEqual(same);
    for (const body of [{ size: 0 }, { size: 21 }, { size: 'all' }, { sizes: 3 }]) {
      const { status, body: said } = await vigil.call('POST', `action/${action.id}/rehearse`, body);
      expect(status).toBe(400);
      expect(said.errors[0].pointer).toMatch(/^\/size/);
    }
  });
});

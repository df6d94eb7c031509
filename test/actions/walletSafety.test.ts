import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { issueToken } from '../../src/services/accounts/issueToken.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { useGuardedVault } from './support/guardedVault.ts';

const chain = useGuardedVault();
const one = { params: [{ name: 'value', value: '1' }] };

describe('a new wallet', () => {
  it('has limits on gas that fit its chain, unless it sets its own', async () => {
    const { vigil } = chain;
    const make = async (members: Json) => {
      const body = { tenantId: vigil.tenantId, name: 'Limits', chainUid: 'ethereum', ...members };
      const { id } = await vigil.ok('POST', 'wallet', body);
      return vigil.ok('GET', `wallet/${id}`);
    };
    expect(await make({})).toMatchObject({ maxGasPrice: '500', maxHourlySpend: '2' });
    expect(await make({ chainUid: 'base' })).toMatchObject({ maxGasPrice: '50', maxHourlySpend: '0.5' });
    expect(await make({ maxGasPrice: '30' })).toMatchObject({ maxGasPrice: '30', maxHourlySpend: '2' });
    expect(await make({ maxGasPrice: null, maxHourlySpend: null })).toMatchObject({
      maxGasPrice: null,
      maxHourlySpend: null,
      allowedCalls: [],
      approvers: null,
      requireApproval: false,
    });
    expect(await make({ allowedCalls: null })).toMatchObject({ allowedCalls: null });
    expect(await make({ chainUid: 'bitcoin' })).toMatchObject({ maxGasPrice: '500', maxHourlySpend: '0.1' });
    expect(await make({ chainUid: 'solana' })).toMatchObject({ maxGasPrice: '5000000', maxHourlySpend: '1' });
    expect(await make({ chainUid: 'stellar' })).toMatchObject({
      maxGasPrice: '1000000',
      maxHourlySpend: '100',
    });
  });
});

describe('a wallet that may call nothing yet', () => {
  it('lets its actions be prepared, with a warning, and fires none of them until its list is set', async () => {
    const { vigil, contractId } = chain;
    const { id: walletId } = await vigil.ok('POST', 'wallet', {
      tenantId: vigil.tenantId,
      name: 'New',
      chainUid: 'anvil',
    });
    const detectorId = await chain.addSource();
    const saved = await vigil.call('POST', 'action', {
      contractId,
      walletId,
      name: 'Early',
      funcSignature: 'setValue(uint256 value)',
      fireAt: 'head',
      ...one,
      detectors: [{ detectorId }],
    });
    expect([saved.status, saved.headers.get('warning')]).toEqual([
      201,
      expect.stringContaining('does not fire until'),
    ]);
    await chain.alert(detectorId);
    expect(await chain.ended(saved.body)).toMatchObject([
      {
        state: 'FAILED',
        reason: expect.stringContaining('allowedCalls do not name this contract'),
        transactions: [],
      },
    ]);
    expect((await vigil.call('POST', `action/${saved.body.id}/execute`)).status).toBe(409);
  });
});

describe('a price of gas far above the market', () => {
  it('is warned of when it is saved, and refused when it is simulated and fired', async () => {
    const { vigil } = chain;
    const wallet = await chain.addWallet({ maxGasPrice: null });
    const members = {
      ...one,
      walletId: wallet.id,
      fireAt: 'head',
      contractId: chain.contractId,
      name: 'Dear',
    };
    const saved = await vigil.call('POST', 'action', {
      ...members,
      funcSignature: 'setValue(uint256 value)',
      gasPrice: '100000',
    });
    expect(saved.status).toBe(201);
    expect(saved.headers.get('warning')).toMatch(/^299 vigil "The gasPrice of 100000 gwei is far above/);
    const seen = await vigil.ok('POST', `action/${saved.body.id}/simulate`);
    expect(seen).toMatchObject({ fires: true, success: false });
    expect(seen.reason).toMatch(/^The gasPrice of 100000 gwei is far above the market: at most [\d.]+ gwei/);
    await vigil.ok('POST', `action/${saved.body.id}/execute`);
    expect(await chain.ended(saved.body)).toMatchObject([{ state: 'FAILED', transactions: [] }]);
    const tipped = await chain.addAction({ ...one, walletId: wallet.id, gasTip: '100000' });
    expect((await vigil.ok('POST', `action/${tipped.id}/simulate`)).reason).toMatch(/^The gasTip of 100000/);
    const fair = await vigil.call('PUT', `action/${saved.body.id}`, { gasPrice: '20' });
    expect([fair.status, fair.headers.get('warning')]).toEqual([200, null]);
  });
});

describe('a wallet with a list of allowed calls', () => {
  it('refuses other contracts and functions when an action is saved, and again when it fires', async () => {
    const { vigil, contractId } = chain;
    const other = await vigil.addContract(`0x${'ab'.repeat(20)}`);
    const wallet = await chain.addWallet({
      allowedCalls: [{ contractId, functions: ['setValue(uint256)'] }],
    });
    const stored = await vigil.ok('GET', `wallet/${wallet.id}`);
    expect(stored.allowedCalls).toEqual([
      { contractId, address: chain.vault.address.toLowerCase(), functions: ['setValue(uint256)'] },
    ]);
    const make = (members: Json) =>
      vigil.call('POST', 'action', {
        contractId,
        walletId: wallet.id,
        name: 'Called',
        funcSignature: 'setValue(uint256 value)',
        ...one,
        ...members,
      });
    const wrongFunction = await make({ funcSignature: 'pause()', params: [] });
    expect([wrongFunction.status, wrongFunction.body.errors[0].pointer]).toEqual([422, '/funcSignature']);
    const wrongContract = await make({ contractId: other });
    expect([wrongContract.status, wrongContract.body.errors[0].pointer]).toEqual([422, '/walletId']);
    const made = await make({});
    expect(made.status).toBe(201);
    await vigil.ok('POST', `action/${made.body.id}/execute`);
    expect(await chain.ended(made.body)).toMatchObject([{ state: 'CONFIRMED' }]);
    // What was read may be sent back; then the list shrinks while an alert is under way.
    const detectorId = await chain.addSource();
    await vigil.ok('PUT', `action/${made.body.id}`, { detectors: [{ detectorId }] });
    await vigil.ok('PUT', `wallet/${wallet.id}`, { allowedCalls: stored.allowedCalls });
    await vigil.ok('PUT', `wallet/${wallet.id}`, { allowedCalls: [] });
    await chain.alert(detectorId);
    expect((await chain.ended(made.body, 2))[0]).toMatchObject({
      state: 'FAILED',
      reason: expect.stringMatching(/^The wallet may not call .*allowedCalls do not name this contract/),
      transactions: [],
    });
    expect((await vigil.call('POST', `action/${made.body.id}/execute`)).status).toBe(409);
    expect(await vigil.ok('POST', `action/${made.body.id}/simulate`)).toMatchObject({ success: false });
  });

  it.each<[string, Json, string]>([
    ['names nothing', { functions: ['pause()'] }, '/allowedCalls/0'],
    ['names what is no address', { address: '0x12' }, '/allowedCalls/0/address'],
    [
      'names what is no function',
      { address: `0x${'ab'.repeat(20)}`, functions: ['f('] },
      '/allowedCalls/0/functions/0',
    ],
    ['names a contract that is not there', { contractId: 987_654 }, '/allowedCalls/0/contractId'],
  ])('is refused when an item %s', async (_name, item, pointer) => {
    const { vigil } = chain;
    const { status, body } = await vigil.call('PUT', `wallet/${chain.wallet.id}`, { allowedCalls: [item] });
    expect([status, body.errors[0].pointer]).toEqual([422, pointer]);
  });
});

describe('a wallet that asks for a second user', () => {
  async function addUsers() {
    const { vigil } = chain;
    const { tenantId, store } = vigil;
    // Keys count as the user who made them.
    const user = async (role: 'tenant-user' | 'tenant-manager' | 'tenant-viewer') => {
      const email = `${randomUUID()}@example.com`;
      const { id: userId } = await vigil.ok('POST', 'user', { tenantId, email, roles: [role] });
      const key = { kind: 'API_KEY', tenantId, userId, label: null, roles: [role], expiredAt: null } as const;
      return (await issueToken(store, key, Date.now())).token;
    };
    return {
      anna: await user('tenant-manager'),
      bert: await user('tenant-manager'),
      carl: await user('tenant-user'),
      vera: await user('tenant-viewer'),
    };
  }

  it('keeps changes and executions until another user with the same right approves them', async () => {
    const { vigil } = chain;
    const { anna, bert, carl, vera } = await addUsers();
    const wallet = await chain.addWallet({ requireApproval: true });
    const as = (token: string) => ({ token });
    const body = {
      contractId: chain.contractId,
      walletId: wallet.id,
      name: 'Guarded',
      funcSignature: 'setValue(uint256 value)',
      fireAt: 'head',
      ...one,
    };
    // What could not be carried out is refused at once.
    const wrong = await vigil.call('POST', 'action', { ...body, funcSignature: 'f(' }, as(anna));
    expect(wrong.status).toBe(400);
    const asked = await vigil.call('POST', 'action', body, as(anna));
    expect([asked.status, asked.body]).toMatchObject([
      202,
      { state: 'PENDING', method: 'POST', path: '/action', walletId: wallet.id, body: { name: 'Guarded' } },
    ]);
    expect(asked.headers.get('location')).toBe(`/api/v1/approval/${asked.body.id}`);
    const approve = (id: number, token: string) =>
      vigil.call('POST', `approval/${id}/approve`, undefined, as(token));
    const keyless = await vigil.token(vigil.tenantId, 'tenant-manager');
    expect((await approve(asked.body.id, anna)).status).toBe(403);
    expect((await approve(asked.body.id, keyless)).status).toBe(403);
    expect((await approve(asked.body.id, vera)).status).toBe(403);
    const stranger = await vigil.ok('POST', 'tenant', { name: `Strangers ${wallet.id}` });
    const outsider = await vigil.token(stranger.id, 'tenant-manager');
    expect((await approve(asked.body.id, outsider)).status).toBe(404);
    const done = await approve(asked.body.id, bert);
    expect([done.status, done.body.approval.state]).toEqual([200, 'APPROVED']);
    const action = done.body.reply;
    expect(action).toMatchObject({ name: 'Guarded', walletId: wallet.id });
    expect((await approve(asked.body.id, bert)).status).toBe(409);

    // By hand it waits; by an alert it does not.
    const run = await vigil.call('POST', `action/${action.id}/execute`, {}, as(carl));
    expect([run.status, run.body.path]).toEqual([202, '/action/{id}/execute']);
    expect(await chain.intents(action)).toEqual([]);
    expect((await approve(run.body.id, bert)).status).toBe(200);
    expect(await chain.ended(action)).toMatchObject([{ state: 'CONFIRMED', binding: 'manual' }]);
    const detectorId = await chain.addSource();
    const bound = await vigil.call('PUT', `action/${action.id}`, { detectors: [{ detectorId }] }, as(anna));
    await approve(bound.body.id, bert);
    await chain.alert(detectorId);
    expect((await chain.ended(action, 2))[0]).toMatchObject({ state: 'CONFIRMED' });
    const side = await vigil.call('PUT', `detector/${detectorId}`, { actions: [] }, as(anna));
    expect([side.status, side.body.body]).toEqual([202, { actions: [] }]);

    // A user without the right of the request cannot approve it, nor can it be approved after its time.
    const off = await vigil.call('PUT', `wallet/${wallet.id}`, { requireApproval: false }, as(anna));
    expect(off.status).toBe(202);
    expect((await approve(off.body.id, carl)).status).toBe(403);
    const rejected = await vigil.call('POST', `approval/${off.body.id}/reject`, undefined, as(anna));
    expect([rejected.status, rejected.body.state]).toEqual([200, 'REJECTED']);
    expect(await vigil.ok('GET', `wallet/${wallet.id}`)).toMatchObject({ requireApproval: true });
    const pending = await vigil.ok('POST', 'approval/search', { where: "state = 'PENDING'" }, as(anna));
    expect(pending.data.map(({ id }: Json) => id)).toEqual([side.body.id]);
    const { data } = await vigil.ok('GET', 'audit?size=100', undefined, as(anna));
    const verbs = data.map(({ action: verb }: Json) => verb);
    for (const verb of ['approval.create', 'approval.approve', 'approval.reject'])
      expect(verbs).toContain(verb);
    await vigil.store.query(sql`update approval set expires_at = 1 where id = ${side.body.id}`);
    const late = await approve(side.body.id, bert);
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining('24 hours')]);
    expect(await vigil.ok('GET', `approval/${side.body.id}`)).toMatchObject({ state: 'EXPIRED' });
  });
});

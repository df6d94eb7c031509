import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retireDrainedKeys } from '../../src/services/wallets/purgeWalletKeys.ts';
import { openSigner } from '../../src/wallets/openSigner.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { anvilChain } from './support/anvilChain.ts';
import { signEnvelope } from './support/signEnvelope.ts';

const ether = 10n ** 18n;

let anvil: Anvil;
let chain: ReturnType<typeof anvilChain>;
let api: TestApi;
let tenantId: number;
beforeAll(async () => {
  anvil = await startAnvil();
  chain = anvilChain(anvil.url);
  api = await startTestApi({ chains: chain });
  tenantId = (await createWorld(api)).tenant.id;
});
afterAll(async () => {
  await api.stop();
  await chain.close();
  await anvil.stop();
});

function newWallet(more: Json = {}): Promise<Json> {
  return api.ok('POST', 'wallet', { tenantId, name: 'Guardian', chainUid: 'anvil', ...more });
}

describe('POST /wallet/{id}/rotate', () => {
  it('gives the wallet a new address and keeps the old key until what it holds is moved', async () => {
    const wallet = await newWallet();
    await anvil.setBalance(wallet.address, ether);
    const rotated = await api.ok('POST', `wallet/${wallet.id}/rotate`);
    expect(rotated).toEqual({ ...wallet, address: rotated.address, updatedAt: rotated.updatedAt });
    expect(rotated.address).not.toBe(wallet.address);
    expect(await api.ok('GET', `wallet/${wallet.id}`)).toMatchObject(rotated);
    const former = (balance: bigint) => [
      { address: wallet.address, balance: String(balance), rotatedAt: rotated.updatedAt },
    ];
    expect(await api.ok('GET', `wallet/${wallet.id}/balance`)).toMatchObject({
      address: rotated.address,
      balance: '0',
      former: former(ether),
    });
    expect(await retireDrainedKeys(api.services), 'while it holds something').toBe(0);

    const gas = 21_000n;
    const gasPrice = 10n ** 10n;
    const { store: db, keyring } = api.services;
    const place = { tenantId, walletId: wallet.id };
    const old = await openSigner({ db, keyring, hsm: undefined }, place, wallet.address);
    const { raw, hash } = await signEnvelope(old, {
      type: 'legacy',
      chainId: 31_337,
      nonce: 0n,
      to: rotated.address,
      value: ether - gas * gasPrice,
      gas,
      gasPrice,
    });
    await anvil.rpc('eth_sendRawTransaction', raw);
    expect((await anvil.receipt(hash)).status).toBe('success');
    // What is left of the fee belongs to nobody's payment.
    await anvil.setBalance(wallet.address, 0n);
    expect(await api.ok('GET', `wallet/${wallet.id}/balance`)).toMatchObject({
      balance: String(ether - gas * gasPrice),
      former: former(0n),
    });
    expect(await retireDrainedKeys(api.services)).toBe(1);
    expect((await api.ok('GET', `wallet/${wallet.id}/balance`)).former).toEqual([]);
    expect((await openSigner({ db, keyring, hsm: undefined }, place, wallet.address)).address).toBe(
      wallet.address,
    );
  });

  it('works on every family, and is written into the audit log without keys', async () => {
    const bitcoin = await newWallet({ chainUid: 'bitcoin' });
    const rotated = await api.ok('POST', `wallet/${bitcoin.id}/rotate`);
    expect(rotated.address).not.toBe(bitcoin.address);
    const { data } = await api.ok('GET', 'audit?size=1000');
    const entry = data.find(
      (found: Json) => found.action === 'wallet.rotate' && found.record.id === bitcoin.id,
    );
    expect(entry.changes.address).toEqual({ before: bitcoin.address, after: rotated.address });
    expect(Object.keys(entry.changes).sort()).toEqual(['address', 'updatedAt']);
  });

  it('is done once for one Idempotency-Key', async () => {
    const wallet = await newWallet();
    const headers = { 'idempotency-key': `rotate-${wallet.id}` };
    const first = await api.ok('POST', `wallet/${wallet.id}/rotate`, undefined, { headers });
    expect(await api.ok('POST', `wallet/${wallet.id}/rotate`, undefined, { headers })).toEqual(first);
    expect((await api.ok('GET', `wallet/${wallet.id}/balance`)).former).toHaveLength(1);
  });

  it('ten rotations of a wallet at once make ten keys one after another, and no more while none is retired', async () => {
    const wallet = await newWallet();
    const answers = await Promise.all(
      Array.from({ length: 11 }, () => api.call('POST', `wallet/${wallet.id}/rotate`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
    const { address, former } = await api.ok('GET', `wallet/${wallet.id}/balance`);
    const addresses = [address, ...former.map((key: Json) => key.address)];
    expect(new Set(addresses)).toEqual(
      new Set([wallet.address, ...answers.flatMap(({ body }) => body.address ?? [])]),
    );
    expect(new Set(addresses).size).toBe(11);
  });

  it('is refused for a wallet that is missing, deleted or another tenant’s', async () => {
    const wallet = await newWallet();
    const other = (await createWorld(api)).tenant.id;
    const token = await api.token(other, 'tenant-manager');
    const foreign = await api.call('POST', `wallet/${wallet.id}/rotate`, undefined, { token });
    await api.ok('DELETE', `wallet/${wallet.id}`);
    const gone = await api.call('POST', `wallet/${wallet.id}/rotate`);
    expect([foreign.status, gone.status]).toEqual([404, 404]);
  });
});

describe('GET /wallet/{id}/balance', () => {
  it('says what the address holds, after which block and in which currency', async () => {
    const wallet = await newWallet();
    await anvil.setBalance(wallet.address, 2n ** 70n);
    await anvil.mine();
    expect(await api.ok('GET', `wallet/${wallet.id}/balance`)).toEqual({
      chainUid: 'anvil',
      block: Number(await anvil.blockNumber()),
      symbol: 'ETH',
      decimals: 18,
      address: wallet.address,
      balance: String(2n ** 70n),
      limits: { maxGasPrice: '1000', maxHourlySpend: '100', spentLastHour: '0' },
      former: [],
    });
  });

  it('answers 409 where the chain is not configured, and 404 to another tenant', async () => {
    const wallet = await newWallet({ chainUid: 'base' });
    const answer = await api.call('GET', `wallet/${wallet.id}/balance`);
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    expect(answer.body.detail).toContain('base');
    const token = await api.token((await createWorld(api)).tenant.id, 'tenant-viewer');
    expect((await api.call('GET', `wallet/${wallet.id}/balance`, undefined, { token })).status).toBe(404);
  });

  it('answers 503 while the chain does not answer', async () => {
    const dead = anvilChain('http://127.0.0.1:9');
    const other = await startTestApi({ chains: dead });
    const tenant = (await createWorld(other)).tenant.id;
    const wallet = await other.ok('POST', 'wallet', { tenantId: tenant, name: 'W', chainUid: 'anvil' });
    const answer = await other.call('GET', `wallet/${wallet.id}/balance`);
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    await other.stop();
    await dead.close();
  });
});

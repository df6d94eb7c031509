import { FeeBumpTransaction, TransactionBuilder } from '@stellar/stellar-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractAddress } from '../../src/chains/stellar/abi/strkey.ts';
import { parseAsset } from '../../src/chains/stellar/network.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import {
  type Stellar,
  startStellar,
  stellarKey,
  stellarPassphrase,
} from '../../testing/stellar/startStellar.ts';
import { until } from '../../testing/until.ts';
import { skipWaits } from './support/intents.ts';

const ends = ['CONFIRMED', 'FAILED', 'SKIPPED', 'CANCELED'];

describe('actions on Stellar', () => {
  let stellar: Stellar;
  let vigil: TestWatch;
  let wallet: Json;
  let contractId: number;
  const key = (number: number) => stellarKey(number);
  const [treasury, guard, safe, thief] = [key(31), key(32), key(33), key(34)];
  const name = `GOLD:${guard.address}`;
  const gold = parseAsset(name);
  const vault = contractAddress('aa'.repeat(32));

  beforeAll(async () => {
    stellar = await startStellar();
    for (const { address } of [treasury, guard, safe, thief]) stellar.fund(address, 100_000_000_000n);
    stellar.state.putInstance(vault, {
      executable: { wasm: '01'.repeat(32) },
      storage: [{ key: { symbol: 'Owner' }, val: { address: guard.address } }],
    });
    vigil = await startTestWatch({
      stellar: { urls: [stellar.url], network: stellarPassphrase, confirmations: 0 },
    });
    wallet = await vigil.ok('POST', 'wallet', {
      tenantId: vigil.tenantId,
      chainUid: 'stellar',
      name: 'Guard',
      privateKey: guard.seed,
      maxHourlySpend: '1000',
    });
    contractId = await vigil.addContract(treasury.address, {
      chainUid: 'stellar',
      addressType: 'WALLET',
      name: 'Treasury',
    });
    vigil.act();
    vigil.watch();
  });
  afterAll(async () => {
    await vigil?.stop();
    await stellar?.stop();
  });

  const add = (funcSignature: string, params: Json, members: Json = {}): Promise<Json> =>
    vigil.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: funcSignature,
      funcSignature,
      params: Object.entries(params).map(([own, value]) => ({ name: own, value })),
      fireAt: 'head',
      ...members,
    });
  const intents = async ({ id }: Json): Promise<Json[]> =>
    (await vigil.ok('GET', `action/${id}/intent`)).data;
  const ended = (action: Json) =>
    until(async () => {
      await skipWaits(vigil);
      const [intent] = await intents(action);
      return intent && ends.includes(intent.state) ? intent : undefined;
    });
  const run = async (action: Json) => {
    await vigil.ok('POST', `action/${action.id}/execute`, {});
    return ended(action);
  };
  const balanceOf = ({ address }: { address: string }) => BigInt(stellar.state.account(address)!.balance);

  it('answers an alert with a payment, once, and says before what it would do', async () => {
    const detectorId = await vigil.addDetector(contractId, 'large_transfer', { threshold: '1000' });
    const action = await add(
      'payment',
      { to: safe.address, asset: 'native', stroops: '2500000000' },
      { detectors: [{ detectorId }] },
    );
    expect(await vigil.ok('POST', `action/${action.id}/simulate`, {})).toMatchObject({
      fires: true,
      success: true,
      reason: null,
      balance: '100000000000',
    });
    const [before, held] = [balanceOf(guard), balanceOf(safe)];
    await vigil.reached('stellar', stellar.latest());
    stellar.submit(
      [{ payment: { destination: thief.address, asset: 'native', amount: '20000000000' } }],
      treasury,
    );
    await vigil.reached('stellar', stellar.latest());
    const intent = await ended(action);
    expect(intent).toMatchObject({ state: 'CONFIRMED', nonce: null, walletAddress: guard.address });
    expect(BigInt(intent.cost)).toBe(2_500_000_100n);
    expect(balanceOf(guard)).toBe(before - 2_500_000_100n);
    expect(balanceOf(safe)).toBe(held + 2_500_000_000n);
    expect(await intents(action)).toHaveLength(1);
    // What was signed is what another library reads, with a sequence number that no JavaScript number holds.
    const [{ raw }] = (await vigil.store.query<{ raw: string }>(
      sql`select raw from action_transaction limit 1`,
    )) as [{ raw: string }];
    const read = TransactionBuilder.fromXDR(raw, stellarPassphrase);
    if (read instanceof FeeBumpTransaction) throw new Error('It is no fee bump.');
    expect(read.hash().toString('hex')).toBe(intent.txHash);
    expect(read.source).toBe(guard.address);
    expect(BigInt(read.sequence)).toBeGreaterThan(2n ** 53n);
    expect(read.operations).toMatchObject([
      { type: 'payment', amount: '250.0000000', destination: safe.address },
    ]);
  });

  it('sets flags of trustlines, takes back, changes options, and calls contracts with typed arguments', async () => {
    const options = await add('set_options', {
      setFlags: 'revocable clawback',
      clearFlags: 'keep',
      masterWeight: 'keep',
      lowThreshold: 'keep',
      medThreshold: 'keep',
      highThreshold: 'keep',
      homeDomain: 'guard.example',
      signer: 'keep',
      signerWeight: 'keep',
    });
    expect(await run(options)).toMatchObject({ state: 'CONFIRMED' });
    expect(stellar.state.account(guard.address)).toMatchObject({ flags: 10, home_domain: 'guard.example' });
    stellar.submit([{ change_trust: { line: gold, limit: '1000000' } }], thief);
    stellar.submit([{ payment: { destination: thief.address, asset: gold, amount: '500' } }], guard);
    const freeze = await add('set_trust_line_flags', {
      trustor: thief.address,
      asset: name,
      authorization: 'none',
    });
    expect(await run(freeze)).toMatchObject({ state: 'CONFIRMED' });
    const back = await add('clawback', { from: thief.address, asset: name, stroops: '500' });
    expect(await run(back)).toMatchObject({ state: 'CONFIRMED' });
    expect(stellar.state.trustline(thief.address, gold)).toMatchObject({ flags: 4, balance: '0' });

    const vaultId = await vigil.addContract(vault, { chainUid: 'stellar', name: 'Vault' });
    const pause = await add('pause(symbol reason)', { reason: 'drain' }, { contractId: vaultId });
    const paused = await run(pause);
    expect(paused).toMatchObject({ state: 'CONFIRMED' });
    expect(BigInt(paused.cost)).toBe(50_100n);
    // A second time the contract refuses, in the words of the simulation.
    const again = await vigil.ok('POST', `action/${pause.id}/simulate`, {});
    expect(again).toMatchObject({ success: false, reason: expect.stringContaining('Error(Contract, #7)') });
    const empty = await vigil.ok('POST', `action/${back.id}/simulate`, {});
    expect(empty).toMatchObject({ success: false, reason: expect.stringContaining('only 0 stroops') });
  });

  it('signs again only when a transaction that was lost can never be taken, and then once', async () => {
    const action = await add('payment', { to: safe.address, asset: 'native', stroops: '1000' });
    const held = balanceOf(safe);
    stellar.faults.deaf = true;
    await vigil.ok('POST', `action/${action.id}/execute`, {});
    await until(async () => (await intents(action))[0]?.state === 'SUBMITTED');
    const [first] = await intents(action);
    stellar.close();
    await skipWaits(vigil);
    expect((await intents(action))[0]).toMatchObject({ state: 'SUBMITTED', txHash: first?.txHash });
    stellar.faults.deaf = false;
    stellar.skipTime(120);
    stellar.close();
    const intent = await ended(action);
    expect(intent).toMatchObject({ state: 'CONFIRMED' });
    expect(intent.txHash).not.toBe(first?.txHash);
    expect(balanceOf(safe)).toBe(held + 1000n);
  });

  it('refuses what cannot be right, and what the wallet may not pay', async () => {
    const wrong = async (funcSignature: string, params: Json, members: Json = {}) =>
      (
        await vigil.call('POST', 'action', {
          contractId,
          walletId: wallet.id,
          name: 'Wrong',
          funcSignature,
          params: Object.entries(params).map(([own, value]) => ({ name: own, value })),
          ...members,
        })
      ).body.errors[0];
    const right = { to: safe.address, asset: 'native', stroops: '1' };
    expect((await wrong('payment', { ...right, to: '0x12' })).message).toContain('account (G… or M…)');
    expect((await wrong('payment', { ...right, asset: 'GOLD' })).message).toContain('CODE:ISSUER');
    expect((await wrong('payment', { ...right, stroops: '1.5' })).message).toContain('stroops');
    expect((await wrong('pause(uint256 x)', { x: '1' })).message).toContain('plain type');
    expect(await wrong('payment', right, { gasTip: '1' })).toMatchObject({ pointer: '/gasTip' });
    const stranger = stellarKey(99).address;
    const missing = await add('payment', { ...right, to: stranger });
    expect(await vigil.ok('POST', `action/${missing.id}/simulate`, {})).toMatchObject({
      success: false,
      reason: expect.stringContaining(`the account ${stranger} does not exist`),
    });
    const large = await add('payment', { ...right, stroops: '20000000000' });
    const simulated = await vigil.ok('POST', `action/${large.id}/simulate`, {});
    expect(simulated).toMatchObject({ fires: true, reason: expect.stringMatching(/limit|hour/i) });
  });
});

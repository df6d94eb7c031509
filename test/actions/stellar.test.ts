import { FeeBumpTransaction, TransactionBuilder } from '@stellar/stellar-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAsset } from '../../src/chains/stellar/network.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import {
  onStandInOnly,
  payment,
  type Stellar,
  startStellar,
  stellarNode,
} from '../../testing/stellar/startStellar.ts';
import { createStellarKey } from '../../testing/stellar/stellarKey.ts';
import { until } from '../../testing/until.ts';
import { skipWaits } from './support/intents.ts';

const ends = ['CONFIRMED', 'FAILED', 'SKIPPED', 'CANCELED'];

describe(`actions on Stellar (${stellarNode})`, () => {
  let stellar: Stellar;
  let vigil: TestWatch;
  let wallet: Json;
  let contractId: number;
  const [treasury, guard] = [createStellarKey(), createStellarKey()];
  const [safe, thief] = [createStellarKey(), createStellarKey()];
  const name = `GOLD:${guard.address}`;
  const gold = parseAsset(name);
  let vault: string;

  beforeAll(async () => {
    stellar = await startStellar();
    await stellar.fund(treasury, guard, safe, thief);
    ({ address: vault } = await stellar.deployVault(guard, []));
    vigil = await startTestWatch({
      stellar: { urls: [stellar.url], network: stellar.passphrase, confirmations: 0 },
    });
    wallet = await vigil.ok('POST', 'wallet', {
      allowedCalls: null,
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
  const reached = async () => vigil.reached('stellar', await stellar.latest());

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
      balance: String(await stellar.balanceOf(guard)),
    });
    const [before, held] = [await stellar.balanceOf(guard), await stellar.balanceOf(safe)];
    const { seq_num: last } = await stellar.account(guard.address);
    await reached();
    await stellar.submit([payment(thief.address, 'native', 20_000_000_000n)], treasury);
    await reached();
    const intent = await ended(action);
    expect(intent).toMatchObject({ state: 'CONFIRMED', nonce: null, walletAddress: guard.address });
    expect(BigInt(intent.cost)).toBe(2_500_000_100n);
    expect(await stellar.balanceOf(guard)).toBe(before - 2_500_000_100n);
    expect(await stellar.balanceOf(safe)).toBe(held + 2_500_000_000n);
    expect(await intents(action)).toHaveLength(1);
    // What was signed is what another library reads, on the stand-in with a sequence number that no JavaScript number holds.
    const [{ raw }] = (await vigil.store.query<{ raw: string }>(
      sql`select raw from action_transaction limit 1`,
    )) as [{ raw: string }];
    const read = TransactionBuilder.fromXDR(raw, stellar.passphrase);
    if (read instanceof FeeBumpTransaction) throw new Error('It is no fee bump.');
    expect(read.hash().toString('hex')).toBe(intent.txHash);
    expect(read.source).toBe(guard.address);
    expect(BigInt(read.sequence)).toBe(BigInt(last) + 1n);
    if (stellar.standIn) expect(BigInt(read.sequence)).toBeGreaterThan(2n ** 53n);
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
    expect(await stellar.account(guard.address)).toMatchObject({ flags: 10, home_domain: 'guard.example' });
    await stellar.submit([{ change_trust: { line: gold, limit: '1000000' } }], thief);
    await stellar.submit([payment(thief.address, gold, 500n)], guard);
    const freeze = await add('set_trust_line_flags', {
      trustor: thief.address,
      asset: name,
      authorization: 'none',
    });
    expect(await run(freeze)).toMatchObject({ state: 'CONFIRMED' });
    const back = await add('clawback', { from: thief.address, asset: name, stroops: '500' });
    expect(await run(back)).toMatchObject({ state: 'CONFIRMED' });
    expect(await stellar.trustline(thief.address, gold)).toMatchObject({ flags: 4, balance: '0' });

    const vaultId = await vigil.addContract(vault, { chainUid: 'stellar', name: 'Vault' });
    const pause = await add('pause(symbol reason)', { reason: 'drain' }, { contractId: vaultId });
    const unpaused = await stellar.balanceOf(guard);
    const paused = await run(pause);
    expect(paused).toMatchObject({ state: 'CONFIRMED' });
    expect(BigInt(paused.cost)).toBe(unpaused - (await stellar.balanceOf(guard)));
    // A second time the contract refuses, in the words of the simulation.
    const again = await vigil.ok('POST', `action/${pause.id}/simulate`, {});
    expect(again).toMatchObject({ success: false, reason: expect.stringContaining('Error(Contract, #7)') });
    const empty = await vigil.ok('POST', `action/${back.id}/simulate`, {});
    expect(empty).toMatchObject({ success: false, reason: expect.stringContaining('only 0 stroops') });
  });

  it('signs again only when a transaction that was lost can never be taken, and then once', async ({
    skip,
  }) => {
    const { standIn } = stellar;
    if (!standIn) return skip(onStandInOnly);
    const action = await add('payment', { to: safe.address, asset: 'native', stroops: '1000' });
    const held = await stellar.balanceOf(safe);
    standIn.faults.deaf = true;
    await vigil.ok('POST', `action/${action.id}/execute`, {});
    await until(async () => (await intents(action))[0]?.state === 'SUBMITTED');
    const [first] = await intents(action);
    standIn.close();
    await skipWaits(vigil);
    expect((await intents(action))[0]).toMatchObject({ state: 'SUBMITTED', txHash: first?.txHash });
    standIn.faults.deaf = false;
    standIn.skipTime(120);
    standIn.close();
    const intent = await ended(action);
    expect(intent).toMatchObject({ state: 'CONFIRMED' });
    expect(intent.txHash).not.toBe(first?.txHash);
    expect(await stellar.balanceOf(safe)).toBe(held + 1000n);
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
    const stranger = createStellarKey().address;
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

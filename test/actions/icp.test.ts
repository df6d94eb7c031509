import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { icpLedgerId } from '../../src/chains/icp/createLedger.ts';
import { createIcpKey } from '../../testing/icp/createIcpKey.ts';
import { canisterId } from '../../testing/icp/ledgerCanister.ts';
import { type IcpNetwork, startIcp } from '../../testing/icp/startIcp.ts';
import { vaultWasm } from '../../testing/icp/vaultWasm.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { skipWaits } from './support/intents.ts';

const ends = ['CONFIRMED', 'FAILED', 'SKIPPED', 'CANCELED'];
const [guard, treasury] = [createIcpKey(), createIcpKey()];
const [safe, thief] = [canisterId(40), 'w7x7r-cok77-xa'];

describe(`actions on the Internet Computer (${process.env.POCKET_IC_BIN ?? 'stand-in'})`, () => {
  let network: IcpNetwork;
  let vigil: TestWatch;
  let wallet: Json;
  let ledger: number;
  let vaultId: string;
  let vault: number;

  beforeAll(async () => {
    network = await startIcp();
    await network.pay(guard.address, 500_000_000n);
    await network.pay(treasury.address, 500_000_000n);
    vaultId = await network.create(guard.identity, vaultWasm(5));
    vigil = await startTestWatch({
      icp: { urls: [network.url], network: network.rootKey, confirmations: 0 },
    });
    wallet = await vigil.ok('POST', 'wallet', {
      allowedCalls: null,
      tenantId: vigil.tenantId,
      chainUid: 'icp',
      name: 'Guard',
      privateKey: guard.pem,
      maxHourlySpend: '4',
    });
    ledger = await vigil.addContract(icpLedgerId, { chainUid: 'icp', name: 'Ledger' });
    // Its methods are those of the interface that the canister carries.
    vault = await vigil.addContract(vaultId, { chainUid: 'icp', name: 'Vault' });
    vigil.act();
    vigil.watch();
    // The second of the deposits may be processed only now, and no detector is to see them.
    await vigil.reached('icp', Math.floor(Date.now() / 1000));
  });
  afterAll(async () => {
    await vigil?.stop();
    await network?.stop();
  });

  const add = (
    contractId: number,
    funcSignature: string,
    params: Json = {},
    members: Json = {},
  ): Promise<Json> =>
    vigil.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: funcSignature,
      funcSignature,
      params: Object.entries(params).map(([name, value]) => ({ name, value })),
      fireAt: 'head',
      ...members,
    });
  const simulate = ({ id }: Json): Promise<Json> => vigil.ok('POST', `action/${id}/simulate`, {});
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
  const quota = async () => {
    const arg = IDL.encode([IDL.Principal], [Principal.fromText(thief)]);
    return IDL.decode([IDL.Nat], await network.query(vaultId, 'quota', arg))[0] as unknown as bigint;
  };

  it('answers an alert with a payment, once, and says before what it would do', async () => {
    const contractId = await vigil.addContract(treasury.address, {
      chainUid: 'icp',
      addressType: 'WALLET',
      name: 'Treasury',
    });
    const detectorId = await vigil.addDetector(contractId, 'large_transfer', { threshold: '1' });
    const action = await add(
      ledger,
      'icrc1_transfer',
      { to: safe, amount: '25000000' },
      { detectors: [{ detectorId }] },
    );
    expect(await simulate(action)).toMatchObject({ fires: true, success: true, balance: '500000000' });
    await vigil.informed();
    await vigil.reached('icp', Math.floor(Date.now() / 1000));
    await network.pay(thief, 200_000_000n, treasury.identity);
    const intent = await ended(action);
    expect(intent).toMatchObject({ state: 'CONFIRMED', nonce: null, walletAddress: guard.address });
    expect(intent.cost).toBe('25010000');
    expect(await network.balanceOf(safe)).toBe(25_000_000n);
    expect(await network.balanceOf(guard.address)).toBe(474_990_000n);
    expect(await intents(action)).toHaveLength(1);
  });

  it('calls methods by their Candid, and stops and starts canisters for those who control them', async () => {
    expect(await quota()).toBe(5n);
    expect(await run(await add(vault, 'pause'))).toMatchObject({ state: 'CONFIRMED', cost: '0' });
    expect(await quota()).toBe(4n);
    expect(await run(await add(vault, 'stop_canister'))).toMatchObject({ state: 'CONFIRMED' });
    await expect(quota()).rejects.toThrow(/stopped/);
    expect(await run(await add(vault, 'start_canister'))).toMatchObject({ state: 'CONFIRMED' });
    expect(await quota()).toBe(4n);
  });

  it('refuses what cannot be right, and what the wallet may not do or pay', async () => {
    // One payment and one alert until here, so that the wallet has paid once.
    expect(await network.balanceOf(treasury.address)).toBe(299_990_000n);
    const raised = await vigil.ok('POST', 'alert/search', { query: 'detectorSchemaName:large_transfer' });
    expect(raised.data.map(({ message }: Json) => message)).toEqual([
      expect.stringMatching(/^2 ICP moved from/),
    ]);
    const stop = await simulate(await add(ledger, 'stop_canister'));
    expect(stop).toMatchObject({ success: false, reason: expect.stringContaining('is no controller') });
    const large = await simulate(await add(ledger, 'icrc1_transfer', { to: safe, amount: '9999999999' }));
    expect(large).toMatchObject({ success: false, reason: expect.stringContaining('474990000') });
    const costly = await simulate(await add(ledger, 'icrc1_transfer', { to: safe, amount: '450000000' }));
    expect(costly).toMatchObject({ reason: expect.stringMatching(/limit|hour/i) });
    const members = { contractId: vault, walletId: wallet.id, name: 'Wrong', params: [] };
    const drain = await vigil.call('POST', 'action', { ...members, funcSignature: 'drain' });
    expect(drain.body.errors[0].message).toContain('it has quota, pause');
    const query = await vigil.call('POST', 'action', { ...members, funcSignature: 'quota' });
    expect(query.body.errors[0].message).toContain('is a query');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAsset } from '../../src/chains/stellar/network.ts';
import { contractAddress } from '../../src/codecs/stellar/strkey.ts';
import { platformTenant } from '../../src/model/metrics.ts';
import { addSamples } from '../../src/store/telemetry/addSamples.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import {
  callOf,
  onStandInOnly,
  payment,
  type Stellar,
  setOptions,
  startStellar,
  stellarNode,
} from '../../testing/stellar/startStellar.ts';
import { createStellarKey } from '../../testing/stellar/stellarKey.ts';
import { vaultSpec } from '../../testing/stellar/vaultSpec.ts';
import { vaultWasm } from '../../testing/stellar/vaultWasm.ts';
import { until } from '../../testing/until.ts';

describe(`Stellar (${stellarNode})`, () => {
  let stellar: Stellar;
  let vigil: TestWatch;
  const [issuer, treasury, thief] = [createStellarKey(), createStellarKey(), createStellarKey()];
  const gold = parseAsset(`GOLD:${issuer.address}`);
  /** Code that does the same and tells nothing. */
  const silent = vaultWasm([]);
  let vault: string;
  let other: string;
  let hash: string;
  let asset: string;
  let contract: number;
  let wallet: number;
  let transfers: number;
  let watching: { stop(): Promise<void> };

  beforeAll(async () => {
    stellar = await startStellar();
    asset = stellar.network.assetOf(gold);
    await stellar.fund(issuer, treasury, thief);
    ({ address: vault, hash } = await stellar.deployVault(issuer));
    await stellar.uploadCode(silent.code, issuer);
    await stellar.submit([{ change_trust: { line: gold, limit: '9000000000000000000' } }], treasury);
    vigil = await startTestWatch({
      stellar: { urls: [stellar.url], network: stellar.passphrase, confirmations: 0 },
    });
    const members = { chainUid: 'stellar', addressType: 'WALLET' };
    wallet = await vigil.addContract(treasury.address, { ...members, name: 'Treasury' });
    transfers = await vigil.addDetector(wallet, 'large_transfer', { threshold: '1000' });
    await vigil.addDetector(wallet, 'outflow_rate', { limit: '50%' });
    await vigil.addDetector(wallet, 'wallet_balance', { trackAnyChange: true, when: 'block' });
    await vigil.addDetector(wallet, 'token_freeze');
    const token = await vigil.addContract(asset, { chainUid: 'stellar', name: 'GOLD' });
    await vigil.addDetector(token, 'large_transfer', { threshold: '0' });
    const owner = await vigil.addContract(issuer.address, { ...members, name: 'Issuer' });
    await vigil.addDetector(owner, 'access_control_change');
    // Its functions and events are those that its code tells.
    contract = await vigil.addContract(vault, { chainUid: 'stellar', name: 'Vault' });
    for (const name of ['ownership_change', 'proxy_upgrade', 'pause_state', 'contract_hash_verification'])
      await vigil.addDetector(contract, name);
    await vigil.addDetector(contract, 'custom_event', {
      signature: 'Paused',
      expression: "e.args.reason === 'drill'",
    });
    await vigil.addDetector(contract, 'custom_function', { signature: 'pause' });
    const quota = { function: 'quota', params: [treasury.address], condition: '>> 999', when: 'block' };
    await vigil.addDetector(contract, 'contract_call', quota);
    await vigil.addDetector(contract, 'invariant', {
      terms: [{ name: 'quota', function: 'quota', params: [treasury.address] }],
      expression: 'quota < 900n',
    });
    for (const [triggerType, contractId, params] of [
      ['NATIVE_TRANSFER', wallet, {}],
      ['FAILED_TX', wallet, {}],
      ['VIEW_FUNCTION', contract, { signature: 'mode', result: '0.kind', equals: 'Closed' }],
    ] as const)
      await vigil.ok('POST', 'trigger', { contractId, name: triggerType, triggerType, params });
    watching = vigil.watch();
    await reached();
  });
  afterAll(async () => {
    await vigil?.stop();
    await stellar?.stop();
  });

  const raised = async (txHash: string) =>
    (await vigil.alerts(`txHash:${txHash}`))
      .map(
        ({ detectorSchemaName, triggerType, message }: Json) =>
          `${detectorSchemaName ?? triggerType}: ${message}`,
      )
      .sort();
  const reached = async () => vigil.reached('stellar', await stellar.latest());
  const call = (name: string, ...args: unknown[]) => callOf(vault, name, ...args);

  it('raises alerts for coins and tokens, and for what fails', async () => {
    const held = await stellar.balanceOf(treasury);
    const out = await stellar.submit([payment(thief.address, 'native', 60_000_000_000n)], treasury);
    const minted = await stellar.submit([payment(treasury.address, gold, 20_000_000_000n)], issuer);
    const failed = await stellar.submit([payment(thief.address, gold, 1n)], treasury);
    await reached();
    const moved = `6,000 XLM moved from ${treasury.address} to ${thief.address} (Treasury).`;
    expect(await raised(out)).toEqual([
      `NATIVE_TRANSFER: ${moved}`,
      `large_transfer: ${moved}`,
      expect.stringMatching(/^outflow_rate: /),
    ]);
    expect(await raised(minted)).toEqual([
      `large_transfer: 2,000 GOLD moved from the mint to ${treasury.address} (GOLD).`,
    ]);
    expect(await raised(failed)).toEqual([expect.stringMatching(/^FAILED_TX: .*payment no_trust/)]);
    const balances = await vigil.alerts('detectorSchemaName:wallet_balance');
    const showXlm = (stroops: bigint) => String(Number(stroops) / 1e7);
    expect(balances.map(({ meta }: Json) => `${meta.previous} ${meta.balance}`)).toContain(
      `${showXlm(held)} ${showXlm(held - 60_000_000_100n)}`,
    );
  });

  it('raises alerts for changes of control, calls and events', async () => {
    const options = await stellar.submit(
      [setOptions({ set_flags: 2, signer: { key: thief.address, weight: 1 } })],
      issuer,
    );
    const frozen = await stellar.submit(
      [{ set_trust_line_flags: { trustor: treasury.address, asset: gold, clear_flags: 1, set_flags: 0 } }],
      issuer,
    );
    const paused = await stellar.submit([call('pause', { symbol: 'drill' })], issuer);
    const upgraded = await stellar.submit([call('upgrade', { bytes: silent.hash })], issuer);
    const handed = await stellar.submit([call('set_owner', { address: thief.address })], issuer);
    await reached();
    expect(await raised(options)).toEqual([
      `access_control_change: The issuer flags of Issuer changed from none to authorization revocable, in a transaction of ${issuer.address}.`,
      `access_control_change: The signers of Issuer changed from none to ${thief.address} (weight 1), in a transaction of ${issuer.address}.`,
    ]);
    expect(await raised(frozen)).toEqual([
      `token_freeze: The token account GOLD:${issuer.address} of Treasury was frozen in a transaction of ${issuer.address}.`,
    ]);
    expect(await raised(paused)).toEqual([
      expect.stringMatching(/^custom_event: Vault emitted Paused\(.*drill/),
      expect.stringMatching(/^custom_function: .*pause\(.*drill/),
      `pause_state: Vault was paused in a transaction of ${issuer.address}.`,
    ]);
    expect(await raised(upgraded)).toEqual([
      `contract_hash_verification: The code of Vault is not the expected one: its sha256 hash is 0x${silent.hash} instead of 0x${hash}.`,
      expect.stringMatching(new RegExp(`^proxy_upgrade: .*${silent.hash}`)),
    ]);
    expect(await raised(handed)).toEqual([
      `ownership_change: The owner of Vault changed from ${issuer.address} to ${thief.address}, in a transaction of ${issuer.address}.`,
    ]);
  });

  it('raises alerts for what functions of contracts give', async () => {
    await stellar.submit([call('set_quota', { i128: '1000' })], thief);
    await reached();
    const told = async (query: string) => (await vigil.alerts(query)).map(({ message }: Json) => message);
    expect(await told('detectorSchemaName:contract_call')).toEqual([
      'quota of Vault gives 1000, which meets >> 999.',
    ]);
    expect(await told('detectorSchemaName:invariant')).toEqual([
      'quota < 900n no longer holds for Vault: quota = 1000.',
    ]);
    expect(await told('triggerType:VIEW_FUNCTION')).toEqual(['mode of Vault gives Closed, it was Open.']);
  });

  it('reads functions of another contract by the spec that it carries, where the watched account has none', async () => {
    ({ address: other } = await stellar.deployVault(thief));
    const asked = { function: 'quota', params: [treasury.address], condition: '>> 999', when: 'block' };
    const detectorId = await vigil.addDetector(wallet, 'contract_call', { ...asked, target: other });
    await vigil.addDetector(wallet, 'invariant', {
      terms: [{ name: 'quota', function: 'quota', params: [treasury.address], target: other }],
      expression: 'quota < 900n',
    });
    const wrongTarget = async (target: string, config: Json = {}) =>
      (
        await vigil.call('POST', 'detector', {
          contractId: wallet,
          schemaName: 'contract_call',
          name: 'x',
          config: { ...asked, ...config, target },
        })
      ).body.errors;
    expect(await wrongTarget(other, { function: 'drain' })).toMatchObject([
      { pointer: '/config/function', message: expect.stringContaining('it has pause, set_quota, quota') },
    ]);
    expect(await wrongTarget(thief.address)).toMatchObject([
      { pointer: '/config/target', code: 'no-interface' },
    ]);
    await vigil.informed();
    await stellar.nextLedger();
    await reached();
    await stellar.submit([callOf(other, 'set_quota', { i128: '1001' })], thief);
    await reached();
    const told = await vigil.alerts(`detectorId:${detectorId} OR message:"quota = 1001"`);
    expect(told.map(({ message }: Json): string => message).sort()).toEqual([
      'quota < 900n no longer holds for Treasury: quota = 1001.',
      `quota of ${other} gives 1001, which meets >> 999.`,
    ]);
  });

  it('refuses functions that a contract does not have', async () => {
    const refused = async (triggerType: string, params: Json) =>
      (await vigil.call('POST', 'trigger', { contractId: contract, name: 'x', triggerType, params })).body
        .errors;
    expect(await refused('VIEW_FUNCTION', { signature: 'drain' })).toMatchObject([
      { pointer: '/params/signature', message: expect.stringContaining('it has pause, set_quota, quota') },
    ]);
    expect(
      await refused('VIEW_FUNCTION', { signature: 'quota', params: ['0x1'], condition: '> 1' }),
    ).toMatchObject([
      { pointer: '/params/params', message: expect.stringContaining('user must be the address') },
    ]);
  });

  it('explains and backtests detectors, and recommends those that fit', async () => {
    const txHash = await stellar.submit([payment(thief.address, 'native', 10_100_000_000n)], treasury);
    await reached();
    const explained = await vigil.ok('POST', `detector/${transfers}/explain`, { txHash });
    expect(explained).toMatchObject({
      verdict: 'ALERT',
      alerts: [{ message: expect.stringContaining('1,010 XLM') }],
    });
    const [{ blockNumber: block }] = (await vigil.alerts(`txHash:${txHash}`)) as [Json];
    const { uid } = await vigil.ok('POST', `detector/${transfers}/backtest`, {
      fromBlock: block,
      toBlock: block,
    });
    const done = await until(async () => {
      const read: Json = await vigil.ok('GET', `backtest/${uid}`);
      return ['DONE', 'FAILED', 'CANCELED'].includes(read.state) ? read : undefined;
    });
    expect(done).toMatchObject({
      state: 'DONE',
      result: { blocks: 1, alerts: 1, faults: 0 },
    });

    const seen = await vigil.ok('POST', 'contract/inspect', { address: vault, chainUid: 'stellar' });
    // Its code was replaced by one that tells nothing.
    expect(seen.data).toMatchObject([{ hasCode: true, kinds: [], abi: null, fault: null }]);
    const again = await vigil.ok('POST', 'contract/inspect', { address: other, chainUid: 'stellar' });
    expect(again.data).toMatchObject([
      { hasCode: true, kinds: ['PAUSABLE'], abi: { source: 'the contract itself', items: vaultSpec.length } },
    ]);
    const otherId = await vigil.addContract(other, { chainUid: 'stellar', name: 'Other' });
    const recommended = await vigil.ok('POST', `contract/${otherId}/recommend`, { enable: ['pause_state'] });
    expect(recommended.data.map(({ schemaName, isNew }: Json) => `${schemaName} ${isNew}`)).toEqual([
      'pause_state true',
      'outflow_rate false',
      'contract_hash_verification false',
      'failed_tx_spike false',
      'chain_halt false',
    ]);
  });

  it('says which ledgers it did not see when it was away for longer than nodes keep them, and goes on', async ({
    skip,
  }) => {
    const { standIn } = stellar;
    if (!standIn) return skip(onStandInOnly);
    const seen = standIn.latest();
    await watching.stop();
    const missed = await stellar.submit([payment(thief.address, 'native', 10_000_000_000n)], treasury);
    for (let count = 0; count < 5; count++) standIn.close();
    const oldest = standIn.latest();
    standIn.forgetBefore(oldest);
    watching = vigil.watch();
    await reached();
    expect(await raised(missed)).toEqual([]);
    const gaps = await vigil.alerts('name:"Blocks not seen"');
    expect(gaps).toHaveLength(5);
    expect(gaps.find(({ message }: Json) => message.includes('Vault'))).toMatchObject({
      severity: 'HIGH',
      message: `Blocks ${seen + 1} to ${oldest - 1} of Stellar were not seen, because no node keeps them any more: what happened there to Vault raises no alert. Vigil goes on from block ${oldest}.`,
      meta: { missedFromBlock: seen + 1, missedToBlock: oldest - 1 },
    });
    const after = await stellar.submit([payment(thief.address, 'native', 11_000_000_000n)], treasury);
    await reached();
    expect((await raised(after)).length).toBeGreaterThan(0);
    expect(await vigil.alerts('name:"Blocks not seen"')).toHaveLength(5);
  });

  it('refuses what does not fit the family, and shows the chain as followed', async () => {
    const wrong = await vigil.call('POST', 'contract', {
      projectId: vigil.projectId,
      chainUid: 'stellar',
      address: contractAddress('ef'.repeat(32)),
      name: 'Contract',
      abi: [{ type: 'event', name: 'Paused', inputs: [] }],
    });
    expect(wrong.body.errors[0]).toMatchObject({ pointer: '/abi/0', code: 'spec' });
    // Fifty calls in one of the last ten minutes that are complete, wherever in its minute the test runs.
    const minute = Date.now() - (Date.now() % 60_000) - 300_000;
    const labels = { chain: 'stellar', type: 'getLedgers' };
    const sample = { value: 50, count: 50, min: 1, max: 1, last: 1 };
    await addSamples(vigil.store, [
      { tenantId: platformTenant, metric: 'rpc_calls', minute, labels, ...sample },
    ]);
    const { data } = await vigil.ok('GET', 'chain');
    const chain = data.find(({ chainUid }: Json) => chainUid === 'stellar');
    expect(chain).toMatchObject({ family: 'stellar', followed: true, watchState: 'ok' });
    expect(chain.callsPerMinute).toBeGreaterThanOrEqual(5);
    expect(chain.callsPerContract).toBeCloseTo(chain.callsPerMinute / chain.contracts, 1);
  });
});

import { createHash } from 'node:crypto';
import { Ed25519KeyIdentity } from '@icp-sdk/core/identity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { icpLedgerId } from '../../src/chains/icp/createLedger.ts';
import { accountIdentifier, readAccount } from '../../src/codecs/icp/accounts.ts';
import { addLedger, canisterId } from '../../testing/icp/ledgerCanister.ts';
import { type IcpNetwork, onStandInOnly, startIcp } from '../../testing/icp/startIcp.ts';
import { vaultWasm } from '../../testing/icp/vaultWasm.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const owner = Ed25519KeyIdentity.generate();
const [alice, bob] = [owner.getPrincipal().toText(), 'w7x7r-cok77-xa'];
const second = () => Math.floor(Date.now() / 1000);
const tokenId = canisterId(7);
const hashOf = (wasm: Uint8Array) => createHash('sha256').update(wasm).digest('hex');

describe(`the Internet Computer (${process.env.POCKET_IC_BIN ?? 'stand-in'})`, () => {
  let network: IcpNetwork;
  /** Undefined on a real network, for which the code of such a ledger is not at hand. */
  let token: ReturnType<typeof addLedger> | undefined;
  let vaultId: string;
  let watching: { stop(): Promise<void> };
  let vigil: TestWatch;
  let vault: number;
  let transfers: number;
  let ledger: number;

  beforeAll(async () => {
    network = await startIcp();
    const { standIn } = network;
    token = standIn && addLedger(standIn, tokenId, { kind: 'icrc', symbol: 'ck\u202e<b>', decimals: 2 });
    token?.mint(alice, 5000n);
    await network.pay(alice, 500_000_000n);
    vaultId = await network.create(owner, vaultWasm(5));
    // A block is a second: what comes later in this one would be seen together with what was minted.
    const minted = second();
    await until(() => second() > minted);
    vigil = await startTestWatch({ icp: { urls: [network.url], network: network.rootKey } });
    const members = { chainUid: 'icp' };
    const wallet = await vigil.addContract(alice, { ...members, addressType: 'WALLET', name: 'Treasury' });
    transfers = await vigil.addDetector(wallet, 'large_transfer', { threshold: '1' });
    // Its ledger is followed for it alone.
    if (token) await vigil.addDetector(wallet, 'outflow_rate', { limit: '10%', token: tokenId });
    ledger = await vigil.addContract(icpLedgerId, { ...members, name: 'Ledger' });
    // Its methods are those of the interface that the canister carries.
    vault = await vigil.addContract(vaultId, { ...members, name: 'Vault' });
    for (const name of ['ownership_change', 'proxy_upgrade', 'contract_hash_verification'])
      await vigil.addDetector(vault, name);
    const call = { function: 'quota', params: [alice], condition: '<< 5', when: 'block' };
    await vigil.addDetector(vault, 'contract_call', call);
    const params = { signature: 'quota', params: [bob], equals: '4' };
    const trigger = { contractId: vault, name: 'Quota', triggerType: 'VIEW_FUNCTION', params };
    await vigil.ok('POST', 'trigger', trigger);
    watching = vigil.watch();
    await reached();
  });
  afterAll(async () => {
    await vigil?.stop();
    await network?.stop();
  });

  /** Until every second up to the present one was followed. */
  const reached = () => vigil.reached('icp', second());
  const messages = async (query: string) =>
    (await vigil.alerts(query)).map(
      ({ detectorSchemaName, message }: Json) => `${detectorSchemaName}: ${message}`,
    );

  it('raises alerts for coins, explains and backtests them', async () => {
    const txHash = await network.pay(bob, 150_000_000n, owner);
    await network.pay(canisterId(30), 900_000_000n);
    await reached();
    expect(await messages(`txHash:${txHash}`)).toEqual([
      `large_transfer: 1.5 ICP moved from ${alice} to ${accountIdentifier(readAccount(bob)!)} (Treasury).`,
    ]);
    expect(await vigil.alerts()).toHaveLength(1);
    expect(await vigil.ok('POST', `detector/${transfers}/explain`, { txHash })).toMatchObject({
      verdict: 'ALERT',
      alerts: [{ message: expect.stringContaining('1.5 ICP') }],
    });
    const [alert] = await vigil.alerts(`txHash:${txHash}`);
    const block = Number(alert?.blockNumber);
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
      result: { blocks: 1, faults: 0, bySeverity: expect.any(Object) },
    });
    expect(done.result.alerts).toBeGreaterThan(0);
    const seen = await vigil.ok('POST', 'contract/inspect', { address: icpLedgerId, chainUid: 'icp' });
    expect(seen.data).toMatchObject([
      {
        hasCode: true,
        kinds: ['TOKEN', 'OWNABLE', 'UPGRADABLE'],
        facts: { symbol: 'ICP', decimals: 8 },
      },
    ]);
    const { data } = await vigil.ok('POST', `contract/${vault}/recommend`, {});
    expect(data.map(({ schemaName, detectorId }: Json) => `${schemaName} ${detectorId !== null}`)).toEqual([
      'ownership_change true',
      'proxy_upgrade true',
      'outflow_rate false',
      'contract_hash_verification true',
      'mixer_funding false',
      'chain_halt false',
    ]);
  });

  it('raises alerts for tokens, whose names cannot deceive, and once for what comes during an outage', async ({
    skip,
  }) => {
    const { standIn } = network;
    if (!standIn || !token) return skip(onStandInOnly);
    const tokens = token.move(alice, bob, 1000n);
    await reached();
    const [flow, ...more] = await messages(`txHash:${tokenId}_${tokens}`).then((all) => all.sort());
    expect([flow, ...more].join()).not.toMatch(/\u202e/);
    expect([flow, ...more]).toEqual([
      expect.stringMatching(/^large_transfer: 10 ck.*moved from/),
      expect.stringMatching(/^outflow_rate: /),
    ]);
    standIn.fault = 'certificate';
    const meanwhile = token.move(alice, bob, 500n);
    const { data } = await vigil.ok('GET', 'chain');
    expect(data.find(({ chainUid }: Json) => chainUid === 'icp')).toMatchObject({
      family: 'icp',
      followed: true,
    });
    standIn.fault = undefined;
    await reached();
    expect(await messages(`txHash:${tokenId}_${meanwhile}`)).toHaveLength(1);
  });

  it('reports a change of controllers and code that happens while Vigil is stopped', async () => {
    await watching.stop();
    const other = vaultWasm(5, 'other');
    await network.setControllers(owner, vaultId, [alice, bob]);
    await network.install(owner, vaultId, other);
    watching = vigil.watch();
    await reached();
    const shown = `0x${hashOf(other)}`;
    await expect
      .poll(
        async () =>
          (
            await messages(
              'detectorSchemaName:(ownership_change OR proxy_upgrade OR contract_hash_verification)',
            )
          ).sort(),
        {
          timeout: 60_000,
          interval: 500,
        },
      )
      .toEqual([
        expect.stringContaining(
          `contract_hash_verification: The code of Vault is not the expected one: its sha256 hash is ${shown}`,
        ),
        `ownership_change: The controllers of Vault changed from ${alice} to ${[alice, bob].sort().join(', ')}.`,
        expect.stringContaining(
          `proxy_upgrade: The code of Vault was replaced: the hash of its module is now ${shown}`,
        ),
      ]);
  });

  it('raises alerts for what queries give', async () => {
    const told = async () =>
      (await vigil.alerts('detectorSchemaName:contract_call OR triggerType:VIEW_FUNCTION'))
        .map(({ message }: Json): string => message)
        .sort();
    expect(await told()).toEqual([]);
    await network.call(owner, vaultId, 'pause');
    await until(async () => (await told()).length === 2);
    expect(await told()).toEqual([
      'quota of Vault gives 4, it was 5.',
      'quota of Vault gives 4, which meets << 5.',
    ]);
    // The interface of the canister that is asked, and not of the one that is watched.
    const detectorId = await vigil.addDetector(ledger, 'contract_call', {
      function: 'quota',
      params: [alice],
      target: vaultId,
      condition: '<< 4',
      when: 'block',
    });
    await vigil.informed();
    await reached();
    await network.install(owner, vaultId, vaultWasm(3));
    await until(async () => (await vigil.alerts(`detectorId:${detectorId}`)).length === 1);
    expect((await vigil.alerts(`detectorId:${detectorId}`))[0]?.message).toBe(
      `quota of ${vaultId} gives 3, which meets << 4.`,
    );
    const refused = await vigil.call('POST', 'trigger', {
      contractId: vault,
      name: 'Pause',
      triggerType: 'VIEW_FUNCTION',
      params: { signature: 'pause' },
    });
    expect(refused.body.errors).toMatchObject([
      { pointer: '/params/signature', message: expect.stringContaining('update') },
    ]);
  });

  it('refuses what does not fit the family', async () => {
    const contractId = await vigil.addContract(canisterId(31), { chainUid: 'icp', name: 'Other' });
    const schemas = await vigil.ok('POST', 'detector/schema/search', { size: 1000 });
    const schemaId = schemas.data.find(({ name }: Json) => name === 'unlimited_approval').id;
    const refused = await vigil.call('POST', 'detector', { contractId, schemaId, name: 'x', config: {} });
    expect(refused.status).toBe(422);
    const wrong = await vigil.call('POST', 'contract', {
      projectId: vigil.projectId,
      chainUid: 'icp',
      address: `${alice}-aaaaaaa.1`,
      name: 'Wrong',
    });
    expect(wrong.body.errors[0].message).toContain('ICRC-1');
  });
});

import { IDL } from '@icp-sdk/core/candid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountIdentifier, readAccount } from '../../src/chains/icp/candid/accounts.ts';
import { icpLedgerId } from '../../src/chains/icp/createLedger.ts';
import { addLedger, canisterId } from '../../testing/icp/ledgerCanister.ts';
import { type Replica, startReplica } from '../../testing/icp/startReplica.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const [alice, bob] = ['em77e-bvlzu-aq', 'w7x7r-cok77-xa'];
const second = () => Math.floor(Date.now() / 1000);
const [tokenId, vaultId] = [canisterId(7), canisterId(9)];

describe('the Internet Computer', () => {
  let replica: Replica;
  let icp: ReturnType<typeof addLedger>;
  let token: ReturnType<typeof addLedger>;
  let vigil: TestWatch;
  let vault: number;
  let transfers: number;
  let ledger: number;
  let quota = 5n;

  beforeAll(async () => {
    replica = await startReplica();
    icp = addLedger(replica, icpLedgerId, { kind: 'icp', symbol: 'ICP' });
    token = addLedger(replica, tokenId, { kind: 'icrc', symbol: 'ck‮<b>', decimals: 2 });
    icp.mint(alice, 500_000_000n);
    token.mint(alice, 5000n);
    replica.canisters.set(vaultId, {
      controllers: [alice],
      moduleHash: Buffer.alloc(32, 7),
      candid: 'service : { quota : (principal) -> (nat) query; pause : () -> () }',
      methods: { quota: { args: [IDL.Principal], results: [IDL.Nat], isQuery: true, run: () => [quota] } },
    });
    // A block is a second: what comes later in this one would be seen together with what was minted.
    const minted = second();
    await until(() => second() > minted);
    vigil = await startTestWatch({ icp: { urls: [replica.url], network: replica.rootKey } });
    const members = { chainUid: 'icp' };
    const wallet = await vigil.addContract(alice, { ...members, addressType: 'WALLET', name: 'Treasury' });
    transfers = await vigil.addDetector(wallet, 'large_transfer', { threshold: '1' });
    // Its ledger is followed for it alone.
    await vigil.addDetector(wallet, 'outflow_rate', { limit: '10%', token: tokenId });
    ledger = await vigil.addContract(tokenId, { ...members, name: 'Token' });
    // Its methods are those of the interface that the canister carries.
    vault = await vigil.addContract(vaultId, { ...members, name: 'Vault' });
    for (const name of ['ownership_change', 'proxy_upgrade', 'contract_hash_verification'])
      await vigil.addDetector(vault, name);
    const call = { function: 'quota', params: [alice], condition: '<< 5', when: 'block' };
    await vigil.addDetector(vault, 'contract_call', call);
    const params = { signature: 'quota', params: [bob], equals: '4' };
    const trigger = { contractId: vault, name: 'Quota', triggerType: 'VIEW_FUNCTION', params };
    await vigil.ok('POST', 'trigger', trigger);
    vigil.watch();
    await reached();
  });
  afterAll(async () => {
    await vigil?.stop();
    await replica?.stop();
  });

  /** Until every second up to the present one was followed. */
  const reached = () => vigil.reached('icp', second());
  const messages = async (query: string) =>
    (await vigil.alerts(query)).map(
      ({ detectorSchemaName, message }: Json) => `${detectorSchemaName}: ${message}`,
    );

  it('raises alerts for coins and tokens, whose names cannot deceive', async () => {
    const coins = icp.move(alice, bob, 150_000_000n);
    const tokens = token.move(alice, bob, 1000n);
    icp.move(bob, canisterId(30), 900_000_000n);
    await reached();
    expect(await messages(`txHash:${icpLedgerId}_${coins}`)).toEqual([
      `large_transfer: 1.5 ICP moved from ${alice} to ${accountIdentifier(readAccount(bob)!)} (Treasury).`,
    ]);
    const [flow, ...more] = await messages(`txHash:${tokenId}_${tokens}`).then((all) => all.sort());
    expect([flow, ...more].join()).not.toMatch(/‮/);
    expect([flow, ...more]).toEqual([
      expect.stringMatching(/^large_transfer: 10 ck.*moved from/),
      expect.stringMatching(/^outflow_rate: /),
    ]);
    expect(await vigil.alerts()).toHaveLength(3);
    const txHash = `${icpLedgerId}_${coins}`;
    expect(await vigil.ok('POST', `detector/${transfers}/explain`, { txHash })).toMatchObject({
      verdict: 'ALERT',
      alerts: [{ message: expect.stringContaining('1.5 ICP') }],
    });
    const block = Number(icp.entries[Number(coins)]!.at / 1_000_000_000n);
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
    const seen = await vigil.ok('POST', 'contract/inspect', { address: tokenId, chainUid: 'icp' });
    expect(seen.data).toMatchObject([
      {
        hasCode: true,
        kinds: ['TOKEN', 'OWNABLE', 'UPGRADABLE'],
        facts: { decimals: 2, totalSupply: '5000' },
      },
    ]);
    const { data } = await vigil.ok('POST', `contract/${vault}/recommend`, {});
    expect(data.map(({ schemaName, detectorId }: Json) => `${schemaName} ${detectorId !== null}`)).toEqual([
      'ownership_change true',
      'proxy_upgrade true',
      'contract_hash_verification true',
      'mixer_funding false',
    ]);
  });

  it('goes on where it was after an outage, with nothing lost and nothing twice', async () => {
    replica.fault = 'certificate';
    const meanwhile = token.move(alice, bob, 500n);
    replica.canisters.get(vaultId)!.controllers = [alice, bob];
    replica.canisters.get(vaultId)!.moduleHash = Buffer.alloc(32, 8);
    const { data } = await vigil.ok('GET', 'chain');
    expect(data.find(({ chainUid }: Json) => chainUid === 'icp')).toMatchObject({
      family: 'icp',
      followed: true,
    });
    replica.fault = undefined;
    await reached();
    expect(await messages(`txHash:${tokenId}_${meanwhile}`)).toHaveLength(1);
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
          'contract_hash_verification: The code of Vault is not the expected one: its sha256 hash is 0x0808',
        ),
        `ownership_change: The controllers of Vault changed from ${alice} to ${alice}, ${bob}.`,
        expect.stringContaining(
          'proxy_upgrade: The code of Vault was replaced: the hash of its module is now 0x0808',
        ),
      ]);
  });

  it('raises alerts for what queries give', async () => {
    const told = async () =>
      (await vigil.alerts('detectorSchemaName:contract_call OR triggerType:VIEW_FUNCTION'))
        .map(({ message }: Json): string => message)
        .sort();
    expect(await told()).toEqual([]);
    quota = 4n;
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
    quota = 3n;
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showAddress } from '../../src/chains/tron/tronAddress.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { startTron, type Tron } from '../../testing/startTron.ts';

describe('Tron', () => {
  let anvil: Anvil;
  let tron: Tron;
  let vigil: TestWatch;
  let token: Contract;
  let owner: string;
  let friend: string;
  let wallet: string;
  let treasury: number;

  beforeAll(async () => {
    anvil = await startAnvil();
    tron = await startTron(anvil);
    [owner, friend, wallet] = anvil.accounts as unknown as [string, string, string];
    await anvil.setBalance(wallet, 3_000_000n);
    token = await anvil.deploy(artifacts.Token, 'Gold', 'GLD', 6, 10n ** 12n);
    vigil = await startTestWatch({
      tron: { urls: [tron.url], network: tron.genesis, confirmations: 1, startBlock: 0 },
    });
    const add = (address: string, name: string, addressType = 'CONTRACT') =>
      vigil.addContract(address, { chainUid: 'tron', addressType, name });
    const gold = await add(showAddress(token.address.toLowerCase()), 'Gold');
    await vigil.addDetector(gold, 'large_transfer', { threshold: '100' });
    await vigil.addDetector(gold, 'ownership_change');
    await vigil.ok('POST', 'trigger', {
      contractId: gold,
      name: 'Callers',
      triggerType: 'BLACKLISTED_CALLERS',
      // As people write it; matching uses the other form.
      params: { callers: [showAddress(friend)] },
    });
    treasury = await add(showAddress(wallet), 'Treasury', 'WALLET');
    await vigil.addDetector(treasury, 'wallet_balance', { trackAnyChange: true, when: 'block' });
    await vigil.ok('POST', 'label', {
      tenantId: vigil.tenantId,
      chainUid: 'tron',
      address: showAddress(friend),
      name: 'Bad friend',
      tags: ['SANCTION'],
    });
    await vigil.addDetector(treasury, 'sanctioned_interaction');
    vigil.watch();
    await reached();
  });
  afterAll(async () => {
    await vigil?.stop();
    await tron?.stop();
    await anvil?.stop();
  });

  const reached = async () => vigil.reached('tron', await tron.height());
  const raised = async (txHash: string) => {
    await reached();
    return (await vigil.alerts(`txHash:${txHash.replace(/^0x/, '')}`))
      .map(({ detectorSchemaName, triggerType, message, meta }: Json) => ({
        kind: detectorSchemaName ?? triggerType,
        message,
        meta,
      }))
      .sort((a, b) => a.kind.localeCompare(b.kind));
  };

  it('shows addresses as people know them, and takes them so in configurations and labels', async () => {
    const { transactionHash } = await token.send(owner, 'transfer', friend, 250_000_000n);
    const [moved] = await raised(transactionHash);
    expect(moved).toMatchObject({
      kind: 'large_transfer',
      message: `250 GLD moved from ${showAddress(owner)} to ${showAddress(friend)} (Bad friend, SANCTION) (Gold).`,
      meta: { from: showAddress(owner), to: showAddress(friend) },
    });
    const called = await token.send(friend, 'transfer', wallet, 1n);
    expect((await raised(called.transactionHash)).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['BLACKLISTED_CALLERS', 'sanctioned_interaction']),
    );
    const paid = await anvil.send({ from: friend, to: wallet, value: 2_000_000n });
    expect((await raised(paid.transactionHash)).map(({ kind }) => kind)).toContain('sanctioned_interaction');
    const [balance] = await vigil.alerts('detectorSchemaName:wallet_balance');
    expect(balance?.meta).toMatchObject({ balance: '5', holder: showAddress(wallet) });
    const shown = (await vigil.alerts()).map(({ message, meta }) => ({ message, meta }));
    expect(JSON.stringify(shown)).not.toMatch(/0x[0-9a-f]{40}\b/);
  });

  it('finds alerts by an address as people know it and as contracts do', async () => {
    const { transactionHash } = await token.send(owner, 'transfer', friend, 300_000_000n);
    await raised(transactionHash);
    const id = transactionHash.slice(2);
    const found = async (query: string) => (await vigil.alerts(`txHash:${id} AND ${query}`)).length;
    for (const form of [showAddress(friend), friend, `"${friend}"`, friend.toUpperCase().replace('X', 'x')])
      for (const field of ['', 'meta.to:', 'message:']) expect(await found(field + form)).toBe(1);
    expect(await found(`NOT meta.to:${friend}`)).toBe(0);
    expect(await found(`meta.to:${owner}`)).toBe(0);
  });

  it('takes ids of TRC-10 tokens and the resources of an account as assets, and nothing else that is no address', async () => {
    const add = (token: string) => vigil.addDetector(treasury, 'wallet_balance', { token });
    for (const asset of ['1000001', 'energy', 'bandwidth']) expect(await add(asset)).toBeGreaterThan(0);
    await expect(add('9999999')).rejects.toThrow('not-an-address');
  });

  it('takes back what was in blocks that the chain has dropped', async () => {
    const { transactionHash } = await token.send(owner, 'transfer', friend, 100_000_000n);
    expect(await raised(transactionHash)).toMatchObject([{ kind: 'large_transfer' }]);
    await tron.reorganise(1);
    await anvil.mine(2);
    await reached();
    const id = transactionHash.slice(2);
    expect(await vigil.alerts(`txHash:${id} AND status:RETRACTED`)).toHaveLength(1);
  });

  it('recognises contracts, and tells what an endpoint can do', async () => {
    const { data } = await vigil.ok('POST', 'contract/inspect', {
      address: showAddress(token.address.toLowerCase()),
      chainUid: 'tron',
    });
    expect(data[0]).toMatchObject({ kinds: expect.arrayContaining(['ERC20', 'OWNABLE']) });
    expect(data[0].facts).toMatchObject({ symbol: 'GLD', decimals: 6, owner: showAddress(owner) });
    const tried = await vigil.ok('POST', 'chain/tron/endpoint/try', { url: tron.url });
    expect(tried).toMatchObject({ fault: null, head: await tron.height(), isArchive: false });
  });
});

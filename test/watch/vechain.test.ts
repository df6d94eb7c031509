import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { encodeDeployment, encodeFunction } from '../../testing/createContract.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { findThor, noThor, startThor, type Thor, thorAddress, thorKeys } from '../../testing/startThor.ts';

const program = findThor();
const [owner, friend, payer] = thorKeys.map(thorAddress) as [string, string, string];
const vtho = '0x0000000000000000000000000000456e65726779';
const { Token } = artifacts;
const unit = 10n ** 18n;

describe('VeChain', () => {
  let node: Thor;
  let vigil: TestWatch;
  let token: string;

  beforeEach(({ skip }) => skip(!program, noThor));
  beforeAll(async () => {
    if (!program) return;
    node = await startThor(program);
    const deployed = await node.send([{ data: encodeDeployment(Token, ['Gold', 'GLD', 18, 10n ** 24n]) }]);
    token = deployed.outputs[0].contractAddress;
    vigil = await startTestWatch({
      vechain: { urls: [node.url], network: node.genesis, confirmations: 1, startBlock: 0 },
    });
    const add = (address: string, name: string, addressType = 'CONTRACT') =>
      vigil.addContract(address, { chainUid: 'vechain', addressType, name });
    const gold = await add(token, 'Gold');
    await vigil.addDetector(gold, 'large_transfer', { threshold: '100' });
    await vigil.addDetector(gold, 'pause_state');
    await trigger(gold, 'FAILED_TX');
    await vigil.addDetector(await add(vtho, 'VTHO'), 'large_transfer', { threshold: '1000' });
    const wallet = await add(friend, 'Wallet', 'WALLET');
    await vigil.addDetector(wallet, 'wallet_balance', { trackAnyChange: true, when: 'block' });
    await trigger(wallet, 'NATIVE_TRANSFER', { direction: 'in' });
    await vigil.addDetector(await add(payer, 'Payer', 'WALLET'), 'custom_tx', { expression: 'true' });
    await trigger(await add(owner, 'Deployer', 'WALLET'), 'CONTRACT_CREATED');
    vigil.watch();
    await reached();
  });
  afterAll(async () => {
    await vigil?.stop();
    await node?.stop();
  });

  const trigger = (contractId: number, triggerType: string, params: Json = {}) =>
    vigil.ok('POST', 'trigger', { contractId, name: triggerType, triggerType, params });
  const reached = async () => vigil.reached('vechain', await node.height());
  const call = (name: string, ...args: unknown[]) => ({ to: token, data: encodeFunction(Token, name, args) });
  const raised = async (receipt: Json) => {
    await reached();
    return (await vigil.alerts(`txHash:${receipt.meta.txID}`))
      .map(({ detectorSchemaName, triggerType, message, eid }: Json) => ({
        kind: detectorSchemaName ?? triggerType,
        message,
        eid: eid.replace(receipt.meta.txID, 'tx'),
      }))
      .sort((a, b) => a.eid.localeCompare(b.eid));
  };

  it('raises an alert for each clause of a transaction, and for tokens and coins alike', async () => {
    const both = await node.send([
      call('transfer', friend, 100n * unit),
      { to: friend, value: 2n * unit },
      { to: friend, value: 3n * unit },
      call('transfer', friend, 250n * unit),
      { to: vtho, data: encodeFunction(Token, 'transfer', [friend, 1000n * unit]) },
    ]);
    const found = await raised(both);
    expect(found).toMatchObject([
      { eid: 'tx-0', kind: 'large_transfer', message: expect.stringContaining('100 GLD moved from') },
      { eid: 'tx-1', kind: 'large_transfer', message: expect.stringContaining('250 GLD moved from') },
      { eid: 'tx-2', kind: 'large_transfer', message: expect.stringContaining('1,000 VTHO moved from') },
      { eid: 'tx-clause1', kind: 'NATIVE_TRANSFER', message: expect.stringContaining('2 VET moved from') },
      { eid: 'tx-clause2', kind: 'NATIVE_TRANSFER', message: expect.stringContaining('3 VET moved from') },
    ]);
    const [balance] = await vigil.alerts('detectorSchemaName:wallet_balance');
    expect(balance?.meta).toMatchObject({ previous: '1000000000', balance: '1000000005' });
  });

  it('sees who pays for the transaction of another, and what fails and why', async () => {
    const paid = await node.send([call('pause')], { payer: thorKeys[2] });
    expect(paid.gasPayer).toBe(payer);
    expect((await raised(paid)).map(({ kind }) => kind)).toEqual(['custom_tx', 'pause_state']);
    const failed = await node.send([call('transfer', friend, 1n)]);
    expect(failed.reverted).toBe(true);
    expect(await raised(failed)).toMatchObject([
      { kind: 'FAILED_TX', eid: 'tx', message: expect.stringContaining('which failed: custom error') },
    ]);
    const made = await node.send([
      { data: artifacts.TokenNft.bytecode },
      { data: artifacts.TokenNft.bytecode },
    ]);
    const created = made.outputs.map(({ contractAddress }: Json) => expect.stringContaining(contractAddress));
    expect((await raised(made)).map(({ message }) => message)).toEqual(created);
  });

  it('recognises contracts, and tells what an endpoint can do', async () => {
    const { data } = await vigil.ok('POST', 'contract/inspect', { address: token, chainUid: 'vechain' });
    expect(data[0]).toMatchObject({ kinds: expect.arrayContaining(['ERC20', 'OWNABLE', 'PAUSABLE']) });
    expect(data[0].facts).toMatchObject({ symbol: 'GLD', decimals: 18, paused: true });
    const tried = await vigil.ok('POST', 'chain/vechain/endpoint/try', { url: node.url });
    expect(tried).toMatchObject({ fault: null, head: await node.height(), isArchive: true });
    const { data: chains } = await vigil.ok('GET', 'chain');
    expect(chains.find(({ chainUid }: Json) => chainUid === 'vechain')).toMatchObject({
      family: 'vechain',
      followed: true,
      watchState: 'ok',
    });
  });

  it('takes everything back when the node has another chain', async () => {
    const before = await vigil.alerts();
    const height = await node.height();
    await node.startAgain();
    const moved = await node.send([{ to: friend, value: 7n * unit }]);
    while ((await node.height()) <= height) await node.send([{ to: owner, value: 1n }]);
    expect(await raised(moved)).toMatchObject([{ kind: 'NATIVE_TRANSFER', eid: 'tx' }]);
    expect(await vigil.alerts('status:RETRACTED')).toHaveLength(before.length);
  });
});

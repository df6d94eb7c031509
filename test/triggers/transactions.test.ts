import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Contract, encodeDeployment } from '../../testing/createContract.ts';
import { observeTrigger } from '../../testing/observeDetector.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain(observeTrigger);
let victim: Contract;
beforeAll(async () => {
  victim = await chain.anvil.deploy(artifacts.Victim);
});

describe('SUCCESSFUL_TX and FAILED_TX', () => {
  it('part transactions to the contract by how they end', async () => {
    const succeeded = await chain.watch('SUCCESSFUL_TX', {}, victim);
    const failed = await chain.watch('FAILED_TX', {}, victim);
    const [sender] = chain.anvil.accounts;
    await victim.send(sender, 'ping', 1n, 'hello');
    await chain.anvil.send({ to: victim.address, data: victim.encode('fail', 'no funds') });
    expect(await succeeded.catchUp()).toMatchObject([
      { severity: 'HIGH', message: `${sender} sent a transaction to Watched.`, meta: { from: sender } },
    ]);
    expect(await failed.catchUp()).toMatchObject([
      {
        message: `${sender} sent a transaction to Watched, which failed: no funds.`,
        meta: { from: sender, reason: 'no funds', selector: victim.encode('fail', '').slice(0, 10) },
      },
    ]);
  });

  it('report the reason that the sender met, and none where there is none', async () => {
    const [owner, stranger] = chain.anvil.accounts;
    const token = await chain.anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 18n);
    const failed = await chain.watch('FAILED_TX', {}, token);
    await chain.anvil.send({ from: stranger, to: token.address, data: token.encode('pause') });
    // The owner pauses and pauses again in one block, so that before the block there was no reason to fail.
    const pause = { from: owner, to: token.address, data: token.encode('pause') };
    await chain.anvil.sendTogether([pause, pause]);
    const found = await failed.catchUp();
    expect(found.map(({ meta }) => [meta.from, meta.reason])).toEqual([
      [stranger, expect.stringContaining('custom error 0x118cdaa7')],
      [owner, undefined],
    ]);
  });

  it('see what a wallet sends', async () => {
    const [, wallet, friend] = chain.anvil.accounts;
    const world = { address: wallet, contract: { addressType: 'WALLET' } };
    const succeeded = await chain.watch('SUCCESSFUL_TX', {}, world);
    await chain.anvil.send({ from: wallet, to: friend, value: 1n });
    await chain.anvil.send({ to: friend, value: 1n });
    expect(await succeeded.catchUp()).toMatchObject([
      { message: `Watched sent a transaction to ${friend}.`, meta: { to: friend } },
    ]);
  });
});

describe('FUNCTION_CALL', () => {
  it('reports calls of the function with their values, and of no other call', async () => {
    const [sender] = chain.anvil.accounts;
    const trigger = await chain.watch(
      'FUNCTION_CALL',
      { signature: 'ping(uint256 id, string note)' },
      victim,
    );
    await victim.send(sender, 'ping', 7n, 'hello');
    await victim.send(sender, 'pingMany', 1n);
    await chain.anvil.send({ to: victim.address, value: 1n });
    expect(await trigger.catchUp()).toMatchObject([
      {
        message: `${sender} called ping(id: 7, note: hello) of Watched.`,
        meta: { function: 'ping', args: { id: '7', note: 'hello' }, status: 'success' },
      },
    ]);
  });

  it('reports every function when none is named, with names of the ABI', async () => {
    const [sender] = chain.anvil.accounts;
    const named = await chain.watch('FUNCTION_CALL', {}, { ...victim, contract: { abi: victim.abi } });
    const bare = await chain.watch('FUNCTION_CALL', {}, victim);
    await victim.send(sender, 'pingMany', 2n);
    await chain.anvil.send({ to: victim.address, value: 1n });
    expect(await named.catchUp()).toMatchObject([
      { meta: { signature: 'pingMany(uint256)', args: { times: '2' } } },
    ]);
    const [found, ...more] = await bare.catchUp();
    expect(more).toEqual([]);
    expect(found!.message).toContain(`function ${victim.encode('pingMany', 2n).slice(0, 10)}`);
  });

  it('leaves out failed calls unless they are asked for', async () => {
    const signature = 'fail(string)';
    const usual = await chain.watch('FUNCTION_CALL', { signature }, victim);
    const failed = await chain.watch('FUNCTION_CALL', { signature, status: 'failed' }, victim);
    await chain.anvil.send({ to: victim.address, data: victim.encode('fail', 'x') });
    expect(await usual.catchUp()).toEqual([]);
    expect(await failed.catchUp()).toMatchObject([
      { message: expect.stringMatching(/but the transaction failed\.$/) },
    ]);
  });
});

describe('FUNCTION_PARAMETER', () => {
  const signature = 'configure(string name, (uint256 id, address who, bytes4[] tags) settings, bool on)';

  it('holds when all conditions hold, also inside structs and lists', async () => {
    const [sender, who] = chain.anvil.accounts;
    const conditions = [
      { name: 'name', operator: 'starts_with', value: 'fee' },
      { name: 'settings.id', operator: '>=', value: '1000000000000000000000' },
      { name: 'settings.who', operator: 'in', value: [who.toUpperCase().replace('0X', '0x')] },
      { name: 'settings.tags', operator: 'contains', value: '0xAABBCCDD' },
      { name: 'on', operator: '==', value: true },
    ];
    const trigger = await chain.watch('FUNCTION_PARAMETER', { signature, conditions }, victim);
    const settings = { id: 10n ** 21n, who, tags: ['0x00000000', '0xaabbccdd'] };
    await victim.send(sender, 'configure', 'fee rate', settings, true);
    expect(await trigger.catchUp()).toMatchObject([
      { meta: { args: { name: 'fee rate', settings: { id: String(10n ** 21n), who } } } },
    ]);
    await victim.send(sender, 'configure', 'rate', settings, true);
    await victim.send(sender, 'configure', 'fee', { ...settings, id: 10n ** 21n - 1n }, true);
    await victim.send(sender, 'configure', 'fee', { ...settings, who: sender }, true);
    await victim.send(sender, 'configure', 'fee', { ...settings, tags: [] }, true);
    await victim.send(sender, 'configure', 'fee', settings, false);
    expect(await trigger.catchUp()).toEqual([]);
    expect(trigger.faults).toEqual([]);
  });

  it('takes names from the ABI, and positions where there is none', async () => {
    const [sender] = chain.anvil.accounts;
    const given = (name: string) => ({
      signature: 'ping(uint256,string)',
      conditions: [{ name, operator: '==', value: 9 }],
    });
    const named = await chain.watch('FUNCTION_PARAMETER', given('id'), {
      ...victim,
      contract: { abi: victim.abi },
    });
    const placed = await chain.watch('FUNCTION_PARAMETER', given('0'), victim);
    await victim.send(sender, 'ping', 9n, '');
    await victim.send(sender, 'ping', 8n, '');
    expect(await named.catchUp()).toHaveLength(1);
    expect(await placed.catchUp()).toHaveLength(1);
  });

  it('ignores data that is no call of the function', async () => {
    const conditions = [{ name: 'times', operator: '>=', value: 0 }];
    const trigger = await chain.watch(
      'FUNCTION_PARAMETER',
      { signature: 'pingMany(uint256 times)', conditions, status: 'any' },
      victim,
    );
    await chain.anvil.send({ to: victim.address, data: `${victim.encode('pingMany', 1n).slice(0, 10)}00` });
    expect(await trigger.catchUp()).toEqual([]);
    expect(trigger.faults).toEqual([]);
  });

  it('does not run with a condition that does not fit, and says why', async () => {
    const conditions = [{ name: 'amount', operator: '==', value: 1 }];
    const params = { signature: 'pingMany(uint256 times)', conditions };
    await expect(chain.watch('FUNCTION_PARAMETER', params, victim)).rejects.toThrow(
      '/conditions/0/name "amount" is not there',
    );
  });
});

describe('WHITELISTED_CALLERS and BLACKLISTED_CALLERS', () => {
  it('report those who are not listed, and of those who are', async () => {
    const [first, second, third] = chain.anvil.accounts;
    const callers = [first, second.toUpperCase().replace('0X', '0x')];
    const strangers = await chain.watch('WHITELISTED_CALLERS', { callers }, victim);
    const listed = await chain.watch('BLACKLISTED_CALLERS', { callers: [second] }, victim);
    for (const from of [first, second, third]) await victim.send(from, 'ping', 1n, '');
    await chain.anvil.send({ from: third, to: victim.address, data: victim.encode('fail', '') });
    expect((await strangers.catchUp()).map(({ meta }) => [meta.from, meta.status])).toEqual([
      [third, 'success'],
      [third, 'failed'],
    ]);
    expect((await listed.catchUp()).map(({ meta }) => meta.from)).toEqual([second]);
  });
});

describe('CONTRACT_CREATED', () => {
  it('reports a contract that the watched address creates, and of nothing else it does', async () => {
    const [, , wallet] = chain.anvil.accounts;
    const trigger = await chain.watch('CONTRACT_CREATED', {}, { address: wallet });
    const data = encodeDeployment(artifacts.Victim, []);
    const { contractAddress } = await chain.anvil.send({ from: wallet, data });
    await chain.anvil.send({ data });
    await chain.anvil.send({ from: wallet, to: victim.address, value: 1n });
    // A constructor that reverts creates nothing.
    await chain.anvil.send({ from: wallet, data: '0x60006000fd' });
    expect(await trigger.catchUp()).toMatchObject([
      { message: `Watched created the contract ${contractAddress}.`, meta: { contractAddress } },
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createdAddress } from '../../src/chains/evm/createdAddress.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeDetector, observeTrigger } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let anvil: Anvil;
let token: Contract;
let victim: Contract;
beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
  victim = await anvil.deploy(artifacts.Victim);
});
afterAll(() => anvil.stop());

async function observe(name: string, config: object, { address, abi }: Contract) {
  const observer = await observeDetector(anvil.url, name, config, { address, contract: { abi } });
  await observer.skip();
  return observer;
}

describe('custom_event', () => {
  it('decodes by the names of the signature and reports what the expression holds for', async () => {
    const [owner, someone] = anvil.accounts;
    const signature = 'Transfer(address indexed sender, address indexed receiver, uint256 amount)';
    const expression = `e.args.receiver === '${someone.toLowerCase()}' && e.args.amount >= 5n * 10n ** 18n && e.logIndex === 0`;
    const observer = await observe('custom_event', { signature, expression }, token);
    await token.send(owner, 'transfer', someone, 5n * 10n ** 18n - 1n);
    await token.send(someone, 'transfer', owner, 10n ** 18n);
    expect(await observer.catchUp()).toEqual([]);
    const { transactionHash } = await token.send(owner, 'transfer', someone, 5n * 10n ** 18n);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'MEDIUM',
        message: `Watched emitted Transfer(sender: ${owner.toLowerCase()}, receiver: ${someone.toLowerCase()}, amount: 5 TKN) in a transaction of ${owner.toLowerCase()}.`,
        txHash: transactionHash,
        meta: { name: 'Transfer', args: { sender: owner.toLowerCase(), amount: '5000000000000000000' } },
      },
    ]);
    await observer.close();
  });

  it.each([
    ['an equality', (to: string) => `e.args.to == "${to}"`],
    ['a list', (to: string) => `["0x00", '${to}'].includes(e.args.to)`],
    ['a switch', (to: string) => `switch (e.args.to) { case "${to}": return true; } return false;`],
  ])('takes addresses with the capitals that wallets show, in %s', async (_name, expressionOf) => {
    const [owner] = anvil.accounts;
    const someone = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
    const signature = 'Transfer(address indexed from, address indexed to, uint256 value)';
    const config = { signature, expression: expressionOf(someone) };
    const observer = await observe('custom_event', config, token);
    await token.send(owner, 'transfer', token.address, 1n);
    await token.send(owner, 'transfer', someone, 1n);
    expect(await observer.catchUp()).toMatchObject([{ meta: { args: { to: someone.toLowerCase() } } }]);
    await observer.close();
  });

  it('knows how its transaction was sent and ended, and compares texts without case', async () => {
    const [owner] = anvil.accounts;
    const signature = 'Ping(uint256,address,string)';
    const expression = `e.gasUsed > 21000n && e.gasLimit >= e.gasUsed && e.maxFeePerGas > 0n && e.nonce >= 0 &&
      e.status === 'success' && e.transactionIndex === 0 && e.input.startsWith(e.selector) && e.selector.length === 10 &&
      lower(e.args.note) === lower('HELLO')`;
    const observer = await observe('custom_event', { signature, expression }, victim);
    await victim.send(owner, 'ping', 7n, 'other');
    await victim.send(owner, 'ping', 7n, 'Hello');
    expect(await observer.catchUp()).toMatchObject([
      { meta: { args: { note: 'Hello' }, transactionIndex: 0, gasUsed: expect.any(String) } },
    ]);
    expect(observer.faults).toEqual([]);
    await observer.close();
  });

  it('takes names and what is indexed from the ABI when the signature has types alone', async () => {
    const [owner] = anvil.accounts;
    const config = {
      signature: 'Ping(uint256,address,string)',
      expression: 'e.args.note === "hi" && e.args.id === 7n',
    };
    const observer = await observe('custom_event', config, victim);
    await victim.send(owner, 'ping', 7n, 'hi');
    await victim.send(owner, 'ping', 8n, 'hi');
    expect(await observer.catchUp()).toMatchObject([
      { meta: { args: { id: '7', who: owner.toLowerCase() } } },
    ]);
    await observer.close();
  });

  it('infers what is indexed, and numbers the values, without a signature that says so', async () => {
    const [owner] = anvil.accounts;
    const config = { signature: 'Ping(uint256,address,string)', expression: 'e.args[2] === "hello"' };
    const observer = await observe('custom_event', config, { ...victim, abi: [] });
    await victim.send(owner, 'ping', 7n, 'hello');
    expect(await observer.catchUp()).toMatchObject([{ meta: { args: { 0: '7', 2: 'hello' } } }]);
    await observer.close();
  });

  it('watches further addresses', async () => {
    const [owner] = anvil.accounts;
    const config = { signature: 'Ping(uint256,address,string)', addresses: [victim.address] };
    const observer = await observe('custom_event', config, token);
    await victim.send(owner, 'ping', 1n, '');
    expect(await observer.catchUp()).toMatchObject([{ meta: { address: victim.address.toLowerCase() } }]);
    await observer.close();
  });

  it('records a script that fails, loops or does not answer as a fault, never as no finding', async () => {
    const [owner] = anvil.accounts;
    const signature = 'Ping(uint256 id, address who, string note)';
    for (const [expression, fault] of [
      ['e.args.nothing.at.all', 'The script failed: '],
      ['while (true) {}; return true', 'The script failed: '],
      ['e.args.id', 'The expression must give true or false, but it gave 3 (bigint)'],
      ['e.args.id > > 3', 'The script failed: '],
    ] as const) {
      const observer = await observe('custom_event', { signature, expression }, victim);
      await victim.send(owner, 'ping', 3n, 'fault');
      expect(await observer.catchUp()).toEqual([]);
      expect(observer.faults).toEqual([expect.stringContaining(fault)]);
      await observer.close();
    }
  });

  it('refuses what is not an event', async () => {
    await expect(observe('custom_event', { signature: 'Transfer(' }, token)).rejects.toThrow(
      'must be an event',
    );
    await expect(observe('custom_event', {}, token)).rejects.toThrow('/signature is required');
  });
});

describe('custom_function', () => {
  it('reports a call whose parameters meet the expression', async () => {
    const [owner, someone] = anvil.accounts;
    const config = {
      signature: 'transfer(address,uint256)',
      expression:
        'e.args.value > 100n && e.value === 0n && e.nonce >= 0 && e.gasLimit > 21000n && e.input.length > 10',
    };
    const observer = await observe('custom_function', config, token);
    await token.send(owner, 'transfer', someone, 100n);
    await token.send(owner, 'approve', someone, 101n);
    // A selector with data that does not fit is nobody's call.
    await anvil.send({
      from: owner,
      to: token.address,
      data: token.encode('transfer', someone, 101n).slice(0, -8),
    });
    expect(await observer.catchUp()).toEqual([]);
    await token.send(owner, 'transfer', someone, 101n);
    expect(await observer.catchUp()).toMatchObject([
      {
        message: `${owner.toLowerCase()} called transfer(to: ${someone.toLowerCase()}, value: 0.000000000000000101 TKN) of Watched.`,
        meta: { signature: 'transfer(address,uint256)', args: { to: someone.toLowerCase(), value: '101' } },
      },
    ]);
    expect(observer.faults).toEqual([]);
    await observer.close();
  });

  it('distinguishes calls that succeed and calls that fail', async () => {
    const [owner, someone, stranger] = anvil.accounts;
    const signature = 'transfer(address to, uint256 amount)';
    const failed = await observe('custom_function', { signature, status: 'failed' }, token);
    const good = await observe('custom_function', { signature, status: 'success' }, token);
    const asked = await observe('custom_function', { signature, expression: "e.status === 'failed'" }, token);
    await anvil.send({ from: stranger, to: token.address, data: token.encode('transfer', someone, 1n) });
    await token.send(owner, 'transfer', someone, 1n);
    const from = (address: string) => [{ meta: { from: address.toLowerCase() } }];
    expect(await failed.catchUp()).toMatchObject(from(stranger));
    expect(await asked.catchUp()).toMatchObject(from(stranger));
    expect(await good.catchUp()).toMatchObject(from(owner));
    await Promise.all([failed.close(), good.close(), asked.close()]);
  });
});

describe('custom_tx', () => {
  it('reports once a transaction that touches the contract in any way', async () => {
    const [owner, someone] = anvil.accounts;
    const observer = await observe(
      'custom_tx',
      { expression: 'e.value >= 10n && e.getFrom() !== e.to' },
      victim,
    );
    await victim.send({ from: owner, value: 9n }, 'ping', 1n, 'x');
    await anvil.send({ from: owner, to: someone, value: 50n });
    expect(await observer.catchUp()).toEqual([]);
    await victim.send({ from: owner, value: 10n }, 'ping', 1n, 'x');
    expect(await observer.catchUp()).toMatchObject([
      { meta: { value: '10', selector: victim.encode('ping', 1n, 'x').slice(0, 10) } },
    ]);
    await observer.close();
  });

  it('sees the transaction that creates the watched contract, and the coins that it is given', async () => {
    const [, , creator] = anvil.accounts;
    const nonce = Number(await anvil.rpc('eth_getTransactionCount', creator, 'latest'));
    const address = createdAddress(creator, nonce);
    const created = await observeDetector(anvil.url, 'custom_tx', {}, { address });
    const large = await observeDetector(anvil.url, 'large_transfer', { threshold: '1' }, { address });
    const into = await observeTrigger(anvil.url, 'NATIVE_TRANSFER', { direction: 'in' }, { address });
    for (const observer of [created, large, into]) await observer.skip();
    // Code that stores nothing.
    await anvil.send({ from: creator, data: '0x00', value: 10n ** 18n });
    expect(await created.catchUp()).toHaveLength(1);
    expect(await large.catchUp()).toMatchObject([{ meta: { to: address, amount: '1' } }]);
    expect(await into.catchUp()).toMatchObject([{ meta: { to: address, amount: '1' } }]);
    for (const observer of [created, large, into]) await observer.close();
  });

  it('knows the outcome and the gas where they are asked for', async () => {
    const [owner] = anvil.accounts;
    const observer = await observe(
      'custom_tx',
      { expression: 'e.gasUsed > 21000n', status: 'failed' },
      victim,
    );
    await victim.send(owner, 'ping', 1n, 'x');
    await anvil.send({ from: owner, to: victim.address, data: victim.encode('failCustom', 1n) });
    expect(await observer.catchUp()).toMatchObject([{ meta: { status: 'failed' } }]);
    await observer.close();
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const name = 'safe_multisig';
const zero = `0x${'0'.repeat(40)}`;
const quietExecutions = { events: { ExecutionSuccess: 'OFF' } };

let singleton: Contract;
let writer: Contract;
beforeAll(async () => {
  singleton = await chain.anvil.deploy(artifacts.SafeLike);
  writer = await chain.anvil.deploy(artifacts.SlotWriter);
});

async function deploySafe() {
  const { anvil } = chain;
  const [owner, other] = anvil.accounts;
  const proxy = await anvil.deploy(artifacts.SafeProxy, singleton.address);
  const safe = anvil.at(proxy.address, artifacts.SafeLike.abi);
  await safe.send(owner, 'setup', [owner], 1n);
  const execution = (to: string, data: string, operation: number) =>
    safe.encode('execTransaction', to, 0n, data, operation, 0n, 0n, 0n, zero, zero, '0x');
  const execute = (to: string, data = '0x', operation = 0) =>
    anvil.send({ from: owner, to: safe.address, data: execution(to, data, operation) });
  return { owner, other, safe, execute, execution };
}

/** Where MultiSend 1.4.1 lies, code that does what MultiSend does with the first item of a batch if that is a delegatecall. */
const multiSend = '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526';
const multiSendCode = '0x607935609960003760006000607935600060453560601c5af400';

type Item = { operation: number; to: string; data: string };

function batch(items: readonly Item[]): string {
  const word = (value: number) => value.toString(16).padStart(64, '0');
  const packed = items
    .map(({ operation, to, data }) => {
      const digits = data.slice(2);
      return `0${operation}${to.slice(2)}${word(0)}${word(digits.length / 2)}${digits}`;
    })
    .join('');
  const rest = packed.length % 64;
  const padding = '0'.repeat(rest === 0 ? 0 : 64 - rest);
  return `0x8d80ff0a${word(32)}${word(packed.length / 2)}${packed}${padding}`;
}

describe('safe_multisig', () => {
  it('names own contracts, and reports as HIGH what gives one of them away', async () => {
    const { other, safe, execute } = await deploySafe();
    const own = { [other]: { name: 'Lending pool', projectId: 2 } };
    const observer = await chain.watch(name, {}, { address: safe.address, contract: { own } });
    const transferOwnership = `0xf2fde38b${zero.slice(2).padStart(64, '0')}`;
    await execute(other, transferOwnership);
    await execute(writer.address.replace(/.$/, '0'), transferOwnership);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'HIGH',
        message: expect.stringContaining(`of ${other} (your Lending pool)`),
        meta: { control: [other] },
      },
      { severity: 'INFO' },
    ]);
  });

  it('reports each event with a severity of its own', async () => {
    const { owner, other, safe, execute } = await deploySafe();
    const observer = await chain.watch(name, {}, safe);
    await execute(other);
    await execute(writer.address, '0x12345678');
    await safe.send(owner, 'addOwnerWithThreshold', other, 2n);
    await safe.send(owner, 'removeOwner', other);
    await safe.send(owner, 'enableModule', other);
    await safe.send(owner, 'disableModule', other);
    await safe.send(owner, 'setGuard', zero);
    await safe.send(owner, 'execFromModule');
    const found = await observer.catchUp();
    expect(found.map(({ meta, severity }) => `${String(meta.event)} ${severity}`)).toEqual([
      'ExecutionSuccess INFO',
      'ExecutionFailure MEDIUM',
      'AddedOwner HIGH',
      'ChangedThreshold HIGH',
      'RemovedOwner HIGH',
      'EnabledModule CRITICAL',
      'DisabledModule MEDIUM',
      'ChangedGuard HIGH',
      'ExecutionFromModuleSuccess MEDIUM',
    ]);
    expect(found[0]?.message).toMatch(
      new RegExp(`^Watched executed the transaction 0x[0-9a-f]{64}\\. Calls: an empty call to ${other}\\.$`),
    );
    expect(found[1]).toMatchObject({
      message: expect.stringContaining(`Calls: the function 0x12345678 of ${writer.address}.`),
      meta: { calls: [{ to: writer.address, value: '0', isDelegateCall: false, data: '0x12345678' }] },
    });
    expect(found[2]).toMatchObject({ meta: { account: other } });
    expect(found[3]).toMatchObject({ message: 'Watched now needs 2 signatures.', meta: { threshold: '2' } });
    expect(found[7]?.message).toBe('The guard of Watched was removed.');
  });

  it('reads the events of older Safes, and keeps quiet about what is switched off', async () => {
    const { anvil } = chain;
    const [owner, other] = anvil.accounts;
    const legacy = await anvil.deploy(artifacts.SafeLegacy);
    const config = { events: { AddedOwner: 'OFF', EnabledModule: 'LOW' } };
    const observer = await chain.watch(name, config, legacy);
    await legacy.send(owner, 'addOwner', other);
    await legacy.send(owner, 'enableModule', other);
    await legacy.send(owner, 'exec', `0x${'7'.repeat(64)}`, false);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'LOW', meta: { event: 'EnabledModule', account: other } },
      { severity: 'MEDIUM', meta: { safeTxHash: `0x${'7'.repeat(64)}` } },
    ]);
  });

  it('reports foreign code run by delegatecall, unless it is expected', async () => {
    const { other, safe, execute } = await deploySafe();
    const observer = await chain.watch(name, quietExecutions, safe);
    const trusting = await chain.watch(
      name,
      { ...quietExecutions, allowedDelegates: [writer.address] },
      safe,
    );
    await execute(writer.address, writer.encode('idle'), 1);
    await execute(other, '0x', 0);
    await execute('0x9641d764fc13c8B624c04430C7356C1C7C8102e2', '0x', 1);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { event: 'DelegateCall', delegate: writer.address } },
    ]);
    expect(await trusting.catchUp()).toEqual([]);
  });

  it('sees the code of the Safe replaced by a delegatecall', async () => {
    const { safe, execute } = await deploySafe();
    const evil = await chain.anvil.deploy(artifacts.SafeLike);
    const observer = await chain.watch(name, quietExecutions, safe);
    await execute(writer.address, writer.encode('write', evil.address), 1);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { event: 'DelegateCall' } },
      {
        severity: 'CRITICAL',
        meta: { event: 'SingletonChanged', singleton: evil.address, previousSingleton: singleton.address },
      },
    ]);
  });

  it('sees the code of the Safe replaced by a delegatecall inside a batch', async () => {
    const { safe, other, execute } = await deploySafe();
    const evil = await chain.anvil.deploy(artifacts.SafeLike);
    await chain.anvil.rpc('anvil_setCode', multiSend, multiSendCode);
    const observer = await chain.watch(name, quietExecutions, safe);
    const items = [
      { operation: 1, to: writer.address, data: writer.encode('write', evil.address) },
      { operation: 0, to: other, data: '0x' },
    ];
    await execute(multiSend, batch(items), 1);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { event: 'DelegateCall', delegate: writer.address } },
      {
        severity: 'CRITICAL',
        meta: { event: 'SingletonChanged', singleton: evil.address, previousSingleton: singleton.address },
      },
    ]);
    expect(observer.faults).toEqual([]);
  });

  it('sees the code replaced by an expected delegate, and reports by which of several executions', async () => {
    const { anvil } = chain;
    const { owner, other, safe, execute, execution } = await deploySafe();
    const observer = await chain.watch(
      name,
      { ...quietExecutions, allowedDelegates: [writer.address] },
      safe,
    );
    const evil = await anvil.deploy(artifacts.SafeLike);
    await execute(writer.address, writer.encode('write', evil.address), 1);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { event: 'SingletonChanged', singleton: evil.address } },
    ]);
    const plain = { from: owner, to: safe.address, data: execution(other, '0x', 0) };
    const replacing = {
      ...plain,
      data: execution(writer.address, writer.encode('write', singleton.address), 1),
    };
    const [, second] = await anvil.sendTogether([plain, replacing, plain]);
    expect(await observer.catchUp()).toMatchObject([
      { txHash: second?.transactionHash, meta: { event: 'SingletonChanged', singleton: singleton.address } },
    ]);
  });

  it('sees the code replaced although a relayer hides the delegatecall', async () => {
    const { owner, safe, execution } = await deploySafe();
    const evil = await chain.anvil.deploy(artifacts.SafeLike);
    const relayer = await chain.anvil.deployMulticall();
    const observer = await chain.watch(name, quietExecutions, safe);
    const callData = execution(writer.address, writer.encode('write', evil.address), 1);
    await relayer.send(owner, 'aggregate3', [{ target: safe.address, allowFailure: false, callData }]);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { event: 'DelegateCall', delegate: writer.address } },
      { severity: 'CRITICAL', meta: { event: 'SingletonChanged', singleton: evil.address } },
    ]);
  });

  it('sees the delegatecall of a module: in its call, in what the Safe announces, and by tracing', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const modular = await anvil.deploy(artifacts.SafeWithModules);
    const hidden = await anvil.deploy(artifacts.HiddenModule, writer.address, writer.encode('idle'));
    const quiet = { events: { ExecutionFromModuleSuccess: 'OFF' } };
    const observer = await chain.watch(name, quiet, modular);
    const call = [writer.address, 0n, writer.encode('idle')] as const;
    await modular.send(owner, 'execTransactionFromModule', ...call, 0);
    await hidden.send(owner, 'run', modular.address, 0);
    expect(await observer.catchUp()).toEqual([]);
    const found = { severity: 'HIGH', meta: { event: 'DelegateCall', delegate: writer.address } };
    await modular.send(owner, 'execTransactionFromModule', ...call, 1);
    await hidden.send(owner, 'run', modular.address, 1);
    await modular.send(owner, 'setAnnounces', true);
    await hidden.send(owner, 'run', modular.address, 1);
    expect(await observer.catchUp()).toMatchObject([found, found, found]);
    expect(observer.faults).toEqual([]);
  });

  it('sees through a relayer where the Safe announces what it executes', async () => {
    const { anvil } = chain;
    const [owner, other] = anvil.accounts;
    const rollup = await anvil.deploy(artifacts.SafeRollup);
    const observer = await chain.watch(name, quietExecutions, rollup);
    await rollup.send(owner, 'relay', other, 0);
    expect(await observer.catchUp()).toEqual([]);
    await rollup.send(owner, 'relay', other, 1);
    expect(await observer.catchUp()).toMatchObject([{ meta: { event: 'DelegateCall', delegate: other } }]);
  });

  it('reports a nonce that jumps, not of several executions in a block', async () => {
    const { anvil } = chain;
    const { owner, other, safe, execute, execution } = await deploySafe();
    const observer = await chain.watch(name, quietExecutions, safe);
    await execute(other);
    const call = { from: owner, to: safe.address, data: execution(other, '0x', 0) };
    await anvil.sendTogether([call, call, call]);
    await execute(other);
    expect(await observer.catchUp()).toEqual([]);
    await execute(singleton.address, singleton.encode('setNonce', 40n), 1);
    await execute(other);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { event: 'DelegateCall' } },
      {
        severity: 'HIGH',
        meta: { event: 'NonceGap', nonce: '40', expectedNonce: '6', previousNonce: '5' },
      },
    ]);
  });

  it('does not take executions that it was not shown for a jump of the nonce', async () => {
    const { other, safe, execute } = await deploySafe();
    const observer = await chain.watch(name, quietExecutions, safe);
    await execute(other);
    await observer.catchUp();
    await execute(other);
    await execute(other);
    await observer.skip();
    await execute(other);
    expect(await observer.catchUp()).toEqual([]);
  });

  it('refuses events that it does not know', async () => {
    await expect(chain.watch(name, { events: { Executed: 'LOW' } }, singleton)).rejects.toThrow(
      '/events/Executed is not a member',
    );
  });
});

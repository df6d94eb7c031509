import { AbiEvent } from 'ox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from './contracts/artifacts.ts';
import { type Anvil, startAnvil } from './startAnvil.ts';

const slot1967 = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
let anvil: Anvil;
let alice: string;
let bob: string;

beforeAll(async () => {
  anvil = await startAnvil();
  [, alice, bob] = anvil.accounts;
});
afterAll(() => anvil.stop());

describe('startAnvil', () => {
  it('deploys, sends and reads, each transaction in a block of its own', async () => {
    const before = await anvil.blockNumber();
    const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 6, 1_000n);
    const { logs } = await token.send(anvil.accounts[0], 'transfer', alice, 400n);
    expect(logs[0]?.topics[0]).toBe(AbiEvent.getSelector('event Transfer(address,address,uint256)'));
    expect(await token.call('balanceOf', alice)).toBe(400n);
    expect(await token.call('decimals')).toBe(6);
    expect(await anvil.blockNumber()).toBe(before + 2n);
  });

  it('mines a reverting transaction by send, and throws with the reason by contract.send', async () => {
    const victim = await anvil.deploy(artifacts.Victim);
    const { status } = await anvil.send({ from: bob, to: victim.address, data: victim.encode('fail', 'no') });
    expect(status).toBe('reverted');
    await expect(victim.send(bob, 'fail', 'because of rain')).rejects.toThrow('because of rain');
    expect(() => victim.encode('nothing')).toThrow('no function nothing; it has burnGas');
  });

  it('puts several transactions into one block in their order', async () => {
    const victim = await anvil.deploy(artifacts.Victim);
    const tx = (id: bigint) => ({ from: alice, to: victim.address, data: victim.encode('ping', id, '') });
    const receipts = await anvil.sendTogether([tx(1n), tx(2n), { ...tx(3n), from: bob }]);
    expect(new Set(receipts.map(({ blockHash }) => blockHash)).size).toBe(1);
    expect(receipts.map(({ logs }) => BigInt(logs[0]?.topics[1] ?? 0))).toEqual([1n, 2n, 3n]);
    await anvil.setAutomine(false);
    const hash = await anvil.submit(tx(4n));
    expect(await anvil.rpc('eth_getTransactionReceipt', hash)).toBeNull();
    await anvil.mine();
    expect((await anvil.receipt(hash)).status).toBe('success');
    await anvil.setAutomine(true);
  });

  it('reorganises: other hashes at the same heights, with the transactions that were asked for', async () => {
    const victim = await anvil.deploy(artifacts.Victim);
    await anvil.mine(3);
    const head = await anvil.block();
    const old = await Promise.all([0n, 1n, 2n].map((back) => anvil.block(BigInt(head.number) - back)));
    const tx = { from: alice, to: victim.address, data: victim.encode('ping', 7n, 'forked') };
    await anvil.reorg(3, [{ tx, block: 1 }]);
    const now = await Promise.all([0n, 1n, 2n].map((back) => anvil.block(BigInt(head.number) - back)));
    for (const at of [0, 1, 2]) expect(now[at]?.hash).not.toBe(old[at]?.hash);
    expect(now[0]?.parentHash).toBe(now[1]?.hash);
    expect(now.map(({ transactions }) => transactions.length)).toEqual([0, 1, 0]);
    expect(await victim.call('count')).toBe(1n);
  });

  it('sets time, balances, storage and code, and acts as anybody', async () => {
    const someone = '0x00000000000000000000000000000000000a11ce';
    await anvil.setBalance(someone, 10n ** 18n);
    await anvil.impersonate(someone);
    const next = Number((await anvil.block()).timestamp) + 1_000;
    await anvil.setTime(next);
    expect((await anvil.send({ from: someone, to: bob, value: 5n })).status).toBe('success');
    expect(Number((await anvil.block()).timestamp)).toBe(next);
    const vault = await anvil.deploy(artifacts.VaultV1);
    await anvil.setStorage(vault.address, 1n, 42n);
    expect(await vault.call('value')).toBe(42n);
    const multicall = await anvil.deployMulticall();
    expect(await multicall.call('getEthBalance', someone)).toBeLessThan(10n ** 18n);
    const calls = [{ target: vault.address, allowFailure: true, callData: vault.encode('value') }];
    expect(await multicall.call('aggregate3', calls)).toEqual([
      { success: true, returnData: `0x${'2a'.padStart(64, '0')}` },
    ]);
  });
});

describe('the contracts', () => {
  it('upgrade a vault behind each kind of proxy', async () => {
    const [owner] = anvil.accounts;
    const v1 = await anvil.deploy(artifacts.VaultV1);
    const v2 = await anvil.deploy(artifacts.VaultV2);
    const initialize = v1.encode('initialize', owner);
    const vaultAt = ({ address }: { address: `0x${string}` }) => anvil.at(address, v2.abi);

    const uups = vaultAt(await anvil.deploy(artifacts.ERC1967Proxy, v1.address, initialize));
    expect(await uups.call('version')).toBe(1n);
    await uups.send(owner, 'upgradeToAndCall', v2.address, '0x');
    expect(await uups.call('version')).toBe(2n);
    expect(BigInt(await anvil.rpc('eth_getStorageAt', uups.address, slot1967, 'latest'))).toBe(
      BigInt(v2.address),
    );

    const beacon = await anvil.deploy(artifacts.UpgradeableBeacon, v1.address, owner);
    const behind = vaultAt(await anvil.deploy(artifacts.BeaconProxy, beacon.address, initialize));
    await beacon.send(owner, 'upgradeTo', v2.address);
    expect(await behind.call('version')).toBe(2n);

    for (const name of ['Proxy1822', 'Proxy897'] as const) {
      const proxy = vaultAt(await anvil.deploy(artifacts[name], v1.address));
      expect(await proxy.call('version')).toBe(1n);
    }
    const singleton = await anvil.deploy(artifacts.SafeLike);
    const safe = await anvil.deploy(artifacts.SafeProxy, singleton.address);
    await anvil.at(safe.address, singleton.abi).send(owner, 'setup', [alice, bob], 2n);
    expect(await anvil.at(safe.address, singleton.abi).call('getThreshold')).toBe(2n);
    expect(BigInt(await anvil.rpc('eth_getStorageAt', safe.address, '0x0', 'latest'))).toBe(
      BigInt(singleton.address),
    );

    const factory = await anvil.deploy(artifacts.Factory);
    const { logs } = await factory.send(alice, 'clone', v2.address);
    const clone: `0x${string}` = `0x${logs[0]?.topics[1]?.slice(26)}`;
    expect(await anvil.at(clone, v2.abi).call('version')).toBe(2n);
  });

  it('let an attacker drain a vault by a flash loan, with each lender’s event', async () => {
    const [owner] = anvil.accounts;
    const lender = await anvil.deploy(artifacts.FlashLender);
    const attacker = await anvil.deploy(artifacts.Attacker);
    const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1_000_000n);
    const vault = await anvil.deploy(artifacts.VaultV1);
    await token.send(owner, 'transfer', lender.address, 500n);
    for (const kind of [0, 1, 2, 3]) {
      await token.send(owner, 'transfer', vault.address, 100n);
      const { logs } = await attacker.send(
        bob,
        'attack',
        lender.address,
        kind,
        token.address,
        500n,
        vault.address,
      );
      expect(logs.filter(({ address }) => address === lender.address)).toHaveLength(kind === 3 ? 0 : 1);
    }
    expect(await token.call('balanceOf', attacker.address)).toBe(400n);
    await vault.send({ from: alice, value: 90n }, 'deposit');
    await anvil.setBalance(lender.address, 50n);
    await attacker.send(bob, 'attack', lender.address, 0, `0x${'0'.repeat(40)}`, 50n, vault.address);
    expect(await anvil.balance(attacker.address)).toBe(90n);
  });
});

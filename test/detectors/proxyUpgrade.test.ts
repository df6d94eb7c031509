import { ContractAddress } from 'ox';
import { describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';
import { deployProxy } from './support/deployProxy.ts';

const chain = useChain();
const everyBlock = {};

describe('proxy_upgrade', () => {
  it('reports an upgrade, and of the one before it', async () => {
    const { owner, first, second, proxy, vault } = await deployProxy(chain.anvil);
    const observer = await chain.watch('proxy_upgrade', {}, proxy);
    await vault.send(owner, 'setValue', 1n);
    await vault.send(owner, 'upgradeToAndCall', second.address, '0x');
    await vault.send(owner, 'upgradeToAndCall', first.address, '0x');
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { event: 'Upgraded', implementation: second.address, sender: owner } },
      { meta: { implementation: first.address, previousImplementation: second.address } },
    ]);
  });

  it('keeps quiet about an expected implementation', async () => {
    const { owner, second, proxy, vault } = await deployProxy(chain.anvil);
    const allowedImplementations = [second.address];
    const observer = await chain.watch('proxy_upgrade', { ...everyBlock, allowedImplementations }, proxy);
    await chain.anvil.mine();
    await vault.send(owner, 'upgradeToAndCall', second.address, '0x');
    await chain.anvil.mine();
    expect(await observer.catchUp()).toEqual([]);
  });

  it('reports once an upgrade that is both announced and stored', async () => {
    const { owner, second, proxy, vault } = await deployProxy(chain.anvil);
    const observer = await chain.watch('proxy_upgrade', everyBlock, proxy);
    await chain.anvil.mine();
    await vault.send(owner, 'upgradeToAndCall', second.address, '0x');
    await chain.anvil.mine(2);
    expect(await observer.catchUp()).toMatchObject([{ meta: { event: 'Upgraded' } }]);
  });

  it('sees in the storage what emits no event', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const { first, second } = await deployProxy(chain.anvil);
    const proxy = await anvil.deploy(artifacts.Proxy1822, first.address);
    const blind = await chain.watch('proxy_upgrade', { checkSlot: false }, proxy);
    const observer = await chain.watch('proxy_upgrade', everyBlock, proxy);
    await anvil.mine();
    await proxy.send(owner, 'setTarget', second.address);
    expect(await blind.catchUp()).toEqual([]);
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      { meta: { event: null, implementation: second.address, previousImplementation: first.address } },
    ]);
    expect(found[0]?.message).toContain('without an event');
  });

  it('asks proxies that keep their code elsewhere: those that report it, and Safes', async () => {
    const { anvil } = chain;
    const { owner, first, second } = await deployProxy(anvil);
    const telling = await anvil.deploy(artifacts.TellingProxy, first.address);
    const safe = await anvil.deploy(artifacts.SafeProxy, first.address);
    const ofTelling = await chain.watch('proxy_upgrade', everyBlock, telling);
    const ofSafe = await chain.watch('proxy_upgrade', everyBlock, safe);
    await anvil.mine();
    await telling.send(owner, 'change', second.address);
    await anvil.setStorage(safe.address, 0n, second.address);
    await anvil.mine();
    const change = { implementation: second.address, previousImplementation: first.address };
    expect(await ofTelling.catchUp()).toMatchObject([{ meta: change }]);
    expect(await ofSafe.catchUp()).toMatchObject([{ meta: change }]);
  });

  it('sees the upgrade of a beacon through its proxy', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const { first, second } = await deployProxy(chain.anvil);
    const beacon = await anvil.deploy(artifacts.UpgradeableBeacon, first.address, owner);
    const proxy = await anvil.deploy(artifacts.BeaconProxy, beacon.address, '0x');
    expect(await chain.replay('proxy_upgrade', everyBlock, proxy)).toMatchObject([
      { meta: { event: 'BeaconUpgraded', implementation: beacon.address } },
    ]);
    const observer = await chain.watch('proxy_upgrade', everyBlock, proxy);
    await anvil.mine();
    await beacon.send(owner, 'upgradeTo', second.address);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { implementation: second.address, beacon: beacon.address } },
    ]);
  });

  it('sees the upgrade of a beacon through a proxy that was deployed after the first look', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const { first, second } = await deployProxy(chain.anvil);
    const beacon = await anvil.deploy(artifacts.UpgradeableBeacon, first.address, owner);
    const nonce = await anvil.rpc<`0x${string}`>('eth_getTransactionCount', owner, 'latest');
    const address = ContractAddress.fromCreate({ from: owner, nonce: BigInt(nonce) + 1n });
    const observer = await chain.watch('proxy_upgrade', {}, { address });
    await anvil.send({ to: owner });
    expect(await observer.catchUp()).toEqual([]);
    await anvil.deploy(artifacts.BeaconProxy, beacon.address, '0x');
    await beacon.send(owner, 'upgradeTo', second.address);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { event: 'BeaconUpgraded', implementation: beacon.address } },
      { meta: { implementation: second.address, previousImplementation: first.address } },
    ]);
  });

  it('reports cut facets of a diamond, unless all of them are expected and none is removed', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const { first, second } = await deployProxy(chain.anvil);
    const zero = `0x${'0'.repeat(40)}`;
    const diamond = await anvil.deploy(artifacts.Diamond);
    const config = { allowedImplementations: [first.address] };
    const observer = await chain.watch('proxy_upgrade', config, diamond);
    const cut = (facetAddress: string, action: number) => [
      { facetAddress, action, functionSelectors: ['0x8456cb59', '0x9abcdef0'] },
    ];
    await diamond.send(owner, 'diamondCut', cut(first.address, 0), zero, '0x');
    expect(await observer.catchUp()).toEqual([]);
    await diamond.send(owner, 'diamondCut', cut(second.address, 1), zero, '0x');
    await diamond.send(owner, 'diamondCut', cut(first.address, 1), second.address, '0x');
    await diamond.send(owner, 'diamondCut', cut(zero, 2), zero, '0x');
    expect(await observer.catchUp()).toMatchObject([
      {
        message: `2 functions of the diamond Watched were changed by ${owner}: replaced pause(), 0x9abcdef0 (${second.address}).`,
        meta: { facets: [second.address], replaced: ['0x8456cb59', '0x9abcdef0'], added: [] },
      },
      {
        message: expect.stringContaining(`; the code of ${second.address} ran once.`),
        meta: { facets: [first.address, second.address], init: second.address },
      },
      { meta: { facets: [], removed: ['0x8456cb59', '0x9abcdef0'] } },
    ]);
  });

  it('refuses a schedule that is none', async () => {
    const [address] = chain.anvil.accounts;
    await expect(chain.watch('proxy_upgrade', { cron: 'often' }, { address })).rejects.toThrow('/cron');
  });
});

import * as Hash from 'ox/Hash';
import type * as Hex from 'ox/Hex';
import { describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';
import { deployProxy } from './support/deployProxy.ts';

const chain = useChain();
const name = 'contract_hash_verification';

const codeOf = (address: string) => chain.anvil.rpc<Hex.Hex>('eth_getCode', address, 'latest');

describe('contract_hash_verification', () => {
  it('reports an upgrade to other code than the expected, and not of the expected', async () => {
    const { owner, first, second, proxy, vault } = await deployProxy(chain.anvil);
    // Both hash the implementation, whose address is part of the code of the proxy, never the proxy.
    const hash = Hash.keccak256(await codeOf(second.address));
    const expecting = await chain.watch(name, { checksum: hash, initialCheck: false }, proxy);
    const freezing = await chain.watch(name, { when: 'block' }, proxy);
    await chain.anvil.mine();
    await vault.send(owner, 'upgradeToAndCall', second.address, '0x');
    expect(await expecting.catchUp()).toEqual([]);
    expect(await freezing.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { hash, address: second.address } },
    ]);
    await vault.send(owner, 'upgradeToAndCall', first.address, '0x');
    expect(await expecting.catchUp()).toMatchObject([{ severity: 'CRITICAL', meta: { expected: hash } }]);
  });

  it('judges the code that is there at the start, once', async () => {
    const { first } = await deployProxy(chain.anvil);
    const checksum = Hash.sha256(await codeOf(first.address));
    const right = { hashType: 'sha256', checksum: checksum.slice(2).toUpperCase(), when: 'block' };
    const wrong = { checksum, when: 'block' };
    const [good, bad, lenient] = [
      await chain.watch(name, right, first),
      await chain.watch(name, wrong, first),
      await chain.watch(name, { ...wrong, initialCheck: false }, first),
    ];
    await chain.anvil.mine(3);
    expect(await good.catchUp()).toEqual([]);
    expect(await bad.catchUp()).toMatchObject([{ severity: 'CRITICAL', meta: { expected: checksum } }]);
    expect(await lenient.catchUp()).toEqual([]);
  });

  it('follows a proxy of another kind by its upgrades, and reports each once', async () => {
    const { anvil } = chain;
    const { owner, first, second } = await deployProxy(anvil);
    const proxy = await anvil.deploy(artifacts.Proxy897, first.address);
    const contract = { implementation: first.address };
    const observer = await chain.watch(name, { when: 'block' }, { address: proxy.address, contract });
    await anvil.mine();
    await proxy.send(owner, 'upgradeTo', second.address);
    await anvil.mine(2);
    expect(await observer.catchUp()).toMatchObject([{ meta: { address: second.address } }]);
  });

  it('sees code that changes or vanishes without an event', async () => {
    const { first } = await deployProxy(chain.anvil);
    const observer = await chain.watch(name, { when: 'block' }, first);
    await chain.anvil.mine();
    expect(await observer.catchUp()).toEqual([]);
    await chain.anvil.setCode(first.address, '0x');
    await chain.anvil.mine();
    const found = await observer.catchUp();
    expect(found).toMatchObject([{ meta: { codeBytes: 0 } }]);
    expect(found[0]?.message).toContain('there is no code at all');
  });

  it('refuses a checksum that is no hash', async () => {
    const { first } = await deployProxy(chain.anvil);
    await expect(chain.watch(name, { checksum: '0x1234' }, first)).rejects.toThrow('/checksum must match');
  });
});

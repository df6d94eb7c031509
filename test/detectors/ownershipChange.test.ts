import { describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const zero = `0x${'0'.repeat(40)}`;

describe('ownership_change', () => {
  it('reports a change that is started, done and renounced', async () => {
    const { anvil } = chain;
    const [owner, other] = anvil.accounts;
    const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
    const observer = await chain.watch('ownership_change', {}, token);
    await token.send(owner, 'transferOwnership', other);
    await token.send(other, 'acceptOwnership');
    await token.send(other, 'renounceOwnership');
    await token.send(owner, 'transfer', other, 5n);
    const [started, done, renounced, ...more] = await observer.catchUp();
    expect(started).toMatchObject({
      severity: 'CRITICAL',
      group: 'SECURITY',
      meta: { event: 'OwnershipTransferStarted', previousOwner: owner, newOwner: other },
    });
    expect(started?.message).toContain(`is about to change from ${owner} to ${other}`);
    expect(done).toMatchObject({ meta: { event: 'OwnershipTransferred', newOwner: other, sender: other } });
    expect(renounced).toMatchObject({ meta: { newOwner: zero } });
    expect(renounced?.message).toBe(
      `Watched has no owner any more: ${other} has given it up, in a transaction of ${other}.`,
    );
    expect(more).toEqual([]);
  });

  it('reports the administrator of a proxy, whose event indexes nothing', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.VaultV1);
    const call = vault.encode('setValue', 1n);
    const proxy = await anvil.deploy(artifacts.TransparentUpgradeableProxy, vault.address, owner, call);
    const found = await chain.replay('ownership_change', {}, proxy);
    expect(found).toMatchObject([{ meta: { event: 'AdminChanged', previousOwner: zero } }]);
    expect(found[0]?.meta.newOwner).toMatch(/^0x(?!0{40})[0-9a-f]{40}$/);
  });

  it('keeps quiet about expected owners in any spelling, and about other contracts', async () => {
    const { anvil } = chain;
    const [owner, expected, unexpected] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.VaultV1);
    await vault.send(owner, 'initialize', owner);
    const stranger = await anvil.deploy(artifacts.VaultV1);
    const allowedOwners = [`0x${expected.slice(2).toUpperCase()}`];
    const observer = await chain.watch('ownership_change', { allowedOwners }, vault);
    await stranger.send(owner, 'initialize', owner);
    await vault.send(owner, 'transferOwnership', expected);
    expect(await observer.catchUp()).toEqual([]);
    await vault.send(expected, 'transferOwnership', unexpected);
    expect(await observer.catchUp()).toMatchObject([{ meta: { newOwner: unexpected } }]);
  });

  it('takes an owner that gives the contract to itself for no change', async () => {
    const { anvil } = chain;
    const [owner, other] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.VaultV1);
    await vault.send(owner, 'initialize', owner);
    const observer = await chain.watch('ownership_change', {}, vault);
    await vault.send(owner, 'transferOwnership', owner);
    expect(await observer.catchUp()).toEqual([]);
    await vault.send(owner, 'transferOwnership', other);
    expect(await observer.catchUp()).toMatchObject([{ meta: { previousOwner: owner, newOwner: other } }]);
  });

  it('refuses owners that are not addresses', async () => {
    const [address] = chain.anvil.accounts;
    await expect(chain.watch('ownership_change', { allowedOwners: ['alice'] }, { address })).rejects.toThrow(
      '/allowedOwners/0 must be an address',
    );
  });
});

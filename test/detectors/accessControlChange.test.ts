import { describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const name = 'access_control_change';
const adminRole = `0x${'0'.repeat(64)}`;

async function deployToken() {
  const token = await chain.anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 0n);
  return { token, minterRole: String(await token.call('MINTER_ROLE')) };
}

describe('access_control_change', () => {
  it('reports granted and revoked roles by name', async () => {
    const [owner, other] = chain.anvil.accounts;
    const { token, minterRole } = await deployToken();
    const observer = await chain.watch(name, {}, token);
    await token.send(owner, 'grantRole', minterRole, other);
    await token.send(owner, 'revokeRole', minterRole, other);
    await token.send(owner, 'grantRole', adminRole, other);
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      {
        severity: 'HIGH',
        message: `${other} was given the role MINTER_ROLE of Watched, in a transaction of ${owner}.`,
        meta: { event: 'RoleGranted', account: other, role: minterRole, sender: owner },
      },
      {
        message: `${other} lost the role MINTER_ROLE of Watched, in a transaction of ${owner}.`,
        meta: { event: 'RoleRevoked' },
      },
      { meta: { role: adminRole, roleName: 'DEFAULT_ADMIN_ROLE' } },
    ]);
  });

  it('keeps quiet about expected accounts and about roles that are not listed', async () => {
    const [owner, expected, other] = chain.anvil.accounts;
    const { token, minterRole } = await deployToken();
    const byName = await chain.watch(name, { roles: ['MINTER_ROLE'], accounts: [expected] }, token);
    const byHash = await chain.watch(name, { roles: [`0x${minterRole.slice(2).toUpperCase()}`] }, token);
    const none = await chain.watch(name, { roles: ['OTHER_ROLE'] }, token);
    await token.send(owner, 'grantRole', minterRole, expected);
    await token.send(owner, 'grantRole', adminRole, other);
    await token.send(owner, 'grantRole', minterRole, other);
    expect(await byName.catchUp()).toMatchObject([{ meta: { account: other, role: minterRole } }]);
    expect(await byHash.catchUp()).toHaveLength(2);
    expect(await none.catchUp()).toEqual([]);
  });

  it('reports owners and threshold of a Safe, whether the event indexes the owner or not', async () => {
    const { anvil } = chain;
    const [owner, other] = anvil.accounts;
    const safe = await anvil.deploy(artifacts.SafeLike);
    const legacy = await anvil.deploy(artifacts.SafeLegacy);
    const ofSafe = await chain.watch(name, {}, safe);
    const ofLegacy = await chain.watch(name, {}, legacy);
    await safe.send(owner, 'addOwnerWithThreshold', other, 2n);
    await safe.send(owner, 'removeOwner', other);
    await safe.send(owner, 'enableModule', other);
    await legacy.send(owner, 'addOwner', other);
    expect(await ofSafe.catchUp()).toMatchObject([
      { meta: { event: 'AddedOwner', account: other } },
      { message: `Watched now needs 2 signatures, in a transaction of ${owner}.`, meta: { threshold: '2' } },
      { meta: { event: 'RemovedOwner', account: other } },
    ]);
    expect(await ofLegacy.catchUp()).toMatchObject([{ meta: { event: 'AddedOwner', account: other } }]);
  });

  it('refuses accounts that are not addresses', async () => {
    const { token } = await deployToken();
    await expect(chain.watch(name, { accounts: ['bob'] }, token)).rejects.toThrow('/accounts/0');
  });
});

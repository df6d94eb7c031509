import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const day = 86_400_000;

let vault: Contract;
let token: Contract;
beforeAll(async () => {
  const { anvil } = chain;
  vault = await anvil.deploy(artifacts.VaultV1);
  token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
});

describe('attack_detector', () => {
  it('reports a suspicious sender, whether its transaction succeeds or not', async () => {
    const { anvil } = chain;
    const [, , thief] = anvil.accounts;
    const labels = [{ address: thief, name: 'Thief', tags: ['EXPLOIT'], score: 80, source: 'feed' }];
    const observer = await chain.watch('attack_detector', {}, { address: vault.address, labels });
    await vault.send(thief, 'setValue', 3n);
    await anvil.send({ from: thief, to: vault.address, data: vault.encode('pause') });
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      {
        severity: 'HIGH',
        message: `The sender ${thief} of a transaction that touches Watched is suspicious: Thief (EXPLOIT, score 80).`,
        meta: { suspect: thief, role: 'sender', label: 'Thief', score: 80, source: 'feed' },
      },
      { meta: { suspect: thief } },
    ]);
  });

  it('reports a suspicious contract that is called or emits a log, and of a deployer', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const victim = await anvil.deploy(artifacts.Victim);
    const world = (address: string) => ({ address: vault.address, labels: [{ address, tags: ['SCAM'] }] });
    const called = await chain.watch('attack_detector', {}, world(victim.address));
    const logged = await chain.watch('attack_detector', {}, world(token.address));
    await token.send(owner, 'transfer', victim.address, 5n);
    const transfer = token.encode('transfer', vault.address, 5n);
    await victim.send(owner, 'forward', token.address, transfer);
    expect(await called.catchUp()).toMatchObject([{ meta: { suspect: victim.address, role: 'called' } }]);
    expect(await logged.catchUp()).toMatchObject([{ meta: { suspect: token.address, role: 'contract' } }]);
    const proxy = await anvil.deploy(artifacts.ERC1967Proxy, vault.address, vault.encode('setValue', 5n));
    expect(
      await chain.replay(
        'attack_detector',
        {},
        {
          address: proxy.address,
          labels: [{ address: owner, tags: ['EXPLOIT'] }],
        },
      ),
    ).toMatchObject([{ meta: { role: 'deployer', suspect: owner } }]);
  });

  it('is HIGH for a bad contract that calls the watched one, and LOW for one that someone else calls beside it', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const victim = await anvil.deploy(artifacts.Victim);
    const box = await anvil.deploy(artifacts.Lockbox);
    const batch = await anvil.deploy(artifacts.Batch);
    const talker = await anvil.deploy(artifacts.LyingToken);
    const bad = (address: string) => [{ address, tags: ['EXPLOIT'] }];
    const world = (address: string) => ({ address: token.address, labels: bad(address) });
    const acting = await chain.watch('attack_detector', {}, world(box.address));
    const standing = await chain.watch('attack_detector', {}, world(talker.address));
    await token.send(owner, 'transfer', box.address, 5n);
    await victim.send(owner, 'forward', box.address, box.encode('release', token.address, owner, 1n, '0x'));
    const calls = [talker.encode('claimMove', owner, owner, 0n), token.encode('balanceOf', owner)];
    await batch.send(owner, 'run', [talker.address, token.address], calls);
    expect(await acting.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { suspect: box.address, role: 'contract' } },
    ]);
    const [beside] = await standing.catchUp();
    expect(beside).toMatchObject({ severity: 'LOW', meta: { suspect: talker.address, unverified: true } });
    expect(beside!.message).toContain('both only take part in the same transaction');
  });

  it('reports a caller whose first money came from a suspicious source within the lookback', async () => {
    const { anvil } = chain;
    const [, caller, mixer] = anvil.accounts;
    const now = Number((await anvil.block()).timestamp) * 1000;
    const funding = (tags: string[], timestamp: number) => ({
      address: vault.address,
      funding: { [caller]: { source: mixer, tags, hops: 2, transactionHash: '0x12', timestamp } },
    });
    const fresh = await chain.watch('attack_detector', {}, funding(['MIXER'], now - 6 * day));
    const old = await chain.watch('attack_detector', {}, funding(['MIXER'], now - 8 * day));
    const off = await chain.watch('attack_detector', { lookback: '0' }, funding(['MIXER'], now));
    const exchange = await chain.watch('attack_detector', {}, funding(['EXCHANGE'], now));
    await vault.send(caller, 'setValue', 4n);
    expect(await fresh.catchUp()).toMatchObject([{ meta: { suspect: caller, fundedBy: mixer, hops: 2 } }]);
    expect(await old.catchUp()).toEqual([]);
    expect(await off.catchUp()).toEqual([]);
    expect(await exchange.catchUp()).toEqual([]);
  });

  it('keeps quiet about strangers, harmless labels, low scores, other feeds and transactions elsewhere', async () => {
    const { anvil } = chain;
    const [owner, caller] = anvil.accounts;
    const { address } = vault;
    const bad = { address: caller, tags: ['EXPLOIT'], score: 50, source: 'feed' };
    const observers = [
      await chain.watch('attack_detector', {}, { address, labels: [{ ...bad, address: owner }] }),
      await chain.watch('attack_detector', {}, { address, labels: [{ ...bad, tags: ['EXCHANGE'] }] }),
      await chain.watch('attack_detector', { score: '> 50' }, { address, labels: [bad] }),
      await chain.watch('attack_detector', { feeds: ['other'] }, { address, labels: [bad] }),
    ];
    const hit = await chain.watch(
      'attack_detector',
      { score: '>= 50', feeds: ['feed'] },
      { address, labels: [bad] },
    );
    await token.send(owner, 'transfer', caller, 5n);
    expect(await hit.catchUp()).toEqual([]);
    await vault.send(caller, 'setValue', 5n);
    for (const observer of observers) expect(await observer.catchUp()).toEqual([]);
    expect(await hit.catchUp()).toHaveLength(1);
  });

  it('refuses a score that is no condition and tags that labels cannot have', async () => {
    await expect(chain.watch('attack_detector', { score: 'high' }, vault)).rejects.toThrow('/score');
    await expect(chain.watch('attack_detector', { labelTags: ['mixer'] }, vault)).rejects.toThrow(
      '/labelTags/0 must be in capitals',
    );
  });
});

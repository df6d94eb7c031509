import { describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const day = 86_400_000;

async function setUp() {
  const { anvil } = chain;
  const [, caller, mixer] = anvil.accounts;
  const vault = await anvil.deploy(artifacts.VaultV1);
  const now = Number((await anvil.block()).timestamp) * 1000;
  const world = (hops: number, ageMs: number, tags: string[]) => ({
    address: vault.address,
    funding: { [caller]: { source: mixer, tags, hops, transactionHash: '0x12', timestamp: now - ageMs } },
  });
  return { vault, caller, mixer, world };
}

describe('mixer_funding', () => {
  it('reports once a caller whose money came from a mixer', async () => {
    const { vault, caller, mixer, world } = await setUp();
    const observer = await chain.watch('mixer_funding', {}, world(1, 60_000, ['MIXER']));
    await vault.send(caller, 'setValue', 1n);
    await vault.send(caller, 'setValue', 2n);
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      { severity: 'MEDIUM', meta: { caller, fundedBy: mixer, hops: 1, tags: ['MIXER'], ageMinutes: 1 } },
    ]);
    expect(found[0]?.message).toContain(`got its first money straight from ${mixer} (MIXER)`);
    await vault.send(caller, 'setValue', 3n);
    expect(await observer.catchUp()).toEqual([]);
  });

  it('keeps quiet about others, older money, longer ways and other sources', async () => {
    const { vault, caller, world } = await setUp();
    const [stranger] = chain.anvil.accounts;
    const name = 'mixer_funding';
    const near = await chain.watch(name, { hops: 2, window: '8 days' }, world(2, 7.5 * day, ['BRIDGE']));
    const quiet = [
      await chain.watch(name, {}, world(2, 0, ['MIXER'])),
      await chain.watch(name, {}, world(1, 7.5 * day, ['MIXER'])),
      await chain.watch(name, { sources: ['MIXER'] }, world(1, 0, ['BRIDGE'])),
    ];
    await vault.send(stranger, 'setValue', 1n);
    expect(await near.catchUp()).toEqual([]);
    await vault.send(caller, 'setValue', 2n);
    for (const observer of quiet) expect(await observer.catchUp()).toEqual([]);
    expect(await near.catchUp()).toHaveLength(1);
  });

  it('refuses no hops at all', async () => {
    const { vault } = await setUp();
    await expect(chain.watch('mixer_funding', { hops: 0 }, vault)).rejects.toThrow(
      '/hops must be at least 1',
    );
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const name = 'gas_anomaly';

let victim: Contract;
beforeAll(async () => {
  victim = await chain.anvil.deploy(artifacts.Victim);
  await victim.send(chain.anvil.accounts[0], 'burnGas', 1n);
});

const burn = (rounds: bigint) => victim.send(chain.anvil.accounts[0], 'burnGas', rounds);

/** Calls that use more or less the same. */
async function settle(count: number) {
  for (let call = 0; call < count; call++) await burn(BigInt(20 + (call % 3)));
}

describe('gas_anomaly', () => {
  it('reports gas far from the usual, once it has learned what is usual', async () => {
    const [sender] = chain.anvil.accounts;
    const observer = await chain.watch(name, { minSamples: 12 }, victim);
    await settle(11);
    await burn(200n);
    expect(await observer.catchUp()).toEqual([]);
    const judged = await chain.watch(name, { minSamples: 12 }, victim);
    await settle(12);
    await burn(22n);
    expect(await judged.catchUp()).toEqual([]);
    await burn(200n);
    const found = await judged.catchUp();
    expect(found).toMatchObject([
      {
        severity: 'LOW',
        meta: { measure: 'gas used', sender, selector: victim.encode('burnGas', 1n).slice(0, 10) },
      },
    ]);
    expect(Number(found[0]?.meta.zScore)).toBeGreaterThan(4);
  });

  it('keeps the functions of a contract apart, and leaves failed calls out', async () => {
    const { anvil } = chain;
    const [sender] = anvil.accounts;
    const observer = await chain.watch(name, { minSamples: 6 }, victim);
    await settle(8);
    await victim.send(sender, 'pingMany', 30n);
    await anvil.send({
      from: sender,
      to: victim.address,
      data: victim.encode('burnGas', 10_000n),
      gas: 100_000n,
    });
    expect(await observer.catchUp()).toEqual([]);
    expect(observer.faults).toEqual([]);
  });

  it('reports an unusual priority fee', async () => {
    const { anvil } = chain;
    const [sender] = anvil.accounts;
    const observer = await chain.watch(name, { minSamples: 5 }, victim);
    await settle(6);
    expect(await observer.catchUp()).toEqual([]);
    const hash = await anvil.rpc<`0x${string}`>('eth_sendTransaction', {
      from: sender,
      to: victim.address,
      data: victim.encode('burnGas', 20n),
      gas: '0x100000',
      maxPriorityFeePerGas: '0xe8d4a51000',
      maxFeePerGas: '0x1d1a94a2000',
    });
    await anvil.receipt(hash);
    expect(await observer.catchUp()).toMatchObject([
      { txHash: hash, meta: { measure: 'priority fee', value: 1_000_000_000_000 } },
    ]);
  });

  it('refuses to judge by too few samples', async () => {
    await expect(chain.watch(name, { minSamples: 2 }, victim)).rejects.toThrow(
      '/minSamples must be at least 5',
    );
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { startAnvil } from '../../testing/startAnvil.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();

let victim: Contract;
beforeAll(async () => {
  victim = await chain.anvil.deploy(artifacts.Victim);
});

const watch = (config: object) => chain.watch('block_anomaly', config, victim);

describe('block_anomaly', () => {
  it('reports blocks with too few or too many transactions and logs, not of those at the limit', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const observer = await watch({ minTransactions: 1, maxTransactions: 2, maxEvents: 3 });
    const call = { from: owner, to: victim.address, data: victim.encode('pingMany', 1n) };
    await anvil.sendTogether([call]);
    await anvil.sendTogether([call, call]);
    await victim.send(owner, 'pingMany', 3n);
    expect(await observer.catchUp()).toEqual([]);
    await anvil.mine();
    await anvil.sendTogether([call, call, call, call]);
    const found = await observer.catchUp();
    expect(found).toMatchObject([
      { severity: 'MEDIUM', meta: { measures: ['transactions'], transactions: 0 } },
      { meta: { measures: ['transactions', 'events'], transactions: 4, events: 4 } },
    ]);
    expect(found[1]?.message).toContain('4 transactions (at most 2 expected), 4 logs (at most 3 expected)');
  });

  it('measures size, gas and gas per transaction', async () => {
    const { anvil } = chain;
    const [owner] = anvil.accounts;
    const observers = [
      await watch({ maxSize: 2_000 }),
      await watch({ maxGas: 1_000_000 }),
      await watch({ maxGasPerTransaction: 300_000 }),
      await watch({ minGasPerTransaction: 22_000 }),
    ];
    const counts = async () => Promise.all(observers.map(async (each) => (await each.catchUp()).length));
    await victim.send(owner, 'ping', 1n, 'x');
    expect(await counts()).toEqual([0, 0, 0, 0]);
    await victim.send(owner, 'ping', 1n, 'x'.repeat(2_000));
    expect(await counts()).toEqual([1, 0, 0, 0]);
    await victim.send(owner, 'burnGas', 1_000n);
    expect(await counts()).toEqual([0, 0, 1, 0]);
    const cheap = { from: owner, to: victim.address, data: victim.encode('burnGas', 300n) };
    await anvil.sendTogether(Array.from({ length: 8 }, () => cheap));
    expect(await counts()).toEqual([0, 1, 0, 0]);
    await anvil.send({ from: owner, to: owner });
    await anvil.mine();
    expect(await counts()).toEqual([0, 0, 0, 1]);
  });

  it('measures the distance of blocks', async () => {
    const { anvil } = chain;
    const observer = await watch({ minInterval: '5 s', maxInterval: '1 min' });
    const now = Number((await anvil.block()).timestamp);
    for (const later of [5, 65, 126, 130]) {
      await anvil.setTime(now + later);
      await anvil.mine();
    }
    expect(await observer.catchUp()).toMatchObject([
      { meta: { intervalMs: 61_000 } },
      { meta: { intervalMs: 4_000 } },
    ]);
  });

  it('reports blocks that come late only when asked to', async () => {
    const old = await startAnvil({ args: ['--timestamp=1700000000'] });
    const late = async (config: object) => {
      const observer = await observeDetector(old.url, 'block_anomaly', config, victim);
      const found = await observer.catchUp();
      await observer.close();
      return found.map(({ meta }) => meta.measures);
    };
    expect(await late({ trackLatency: true, maxLatency: '30 days' })).toEqual([['latencyMs']]);
    expect(await late({ trackLatency: true, maxLatency: '36500 days' })).toEqual([]);
    expect(await late({ maxLatency: '30 days' })).toEqual([]);
    await old.stop();
  });

  it('refuses limits that are no numbers', async () => {
    await expect(watch({ maxGas: 'much' })).rejects.toThrow('/maxGas must be a number');
    await expect(watch({ maxInterval: 'long' })).rejects.toThrow('/maxInterval');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Allocation } from '../../src/model/detection.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

const coin = 10n ** 18n;
let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

/** A token of 1,000 whole ones that the first account holds, and a detector on it. */
async function observe(name: string, config: object, allocations: readonly Allocation[] = []) {
  const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1000n * coin);
  const world = { address: token.address, allocations };
  const observer = await observeDetector(anvil.url, name, config, world);
  await observer.skip();
  const send = async (call: string, ...args: unknown[]) => {
    await token.send(anvil.accounts[0], call, ...args);
    return observer.catchUp();
  };
  const wait = async () => {
    await anvil.mine();
    return observer.catchUp();
  };
  return { ...observer, token, send, wait };
}

describe('proof_of_reserves', () => {
  it('reports once when there is more supply than reserves', async () => {
    const [owner, someone] = anvil.accounts;
    const feed = await anvil.deploy(artifacts.PriceFeed, 8, 1000n * 10n ** 8n);
    const observer = await observe('proof_of_reserves', { feed: feed.address, when: 'block' });
    expect(await observer.wait()).toEqual([]);
    expect(await observer.send('mint', someone, 1n)).toMatchObject([
      { severity: 'HIGH', meta: { ratio: '0.999999999999999999', reserves: '1000', symbol: 'TKN' } },
    ]);
    expect(await observer.send('mint', someone, 250n * coin)).toEqual([]);
    await feed.send(owner, 'set', 1251n * 10n ** 8n);
    await feed.send(owner, 'set', 1000n * 10n ** 8n);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'INFO', meta: { ended: true } },
      {
        message:
          'The reserves of Watched are 1,000 for a supply of 1,250 TKN: 0.799999999999999999, which meets << 1.',
      },
    ]);
    await observer.close();
  });

  it('takes another condition, and refuses to run without a feed', async () => {
    const feed = await anvil.deploy(artifacts.PriceFeed, 0, 1050n);
    const config = { feed: feed.address, when: 'block', condition: '<= 1.05' };
    const observer = await observe('proof_of_reserves', config);
    expect(await observer.wait()).toHaveLength(1);
    expect(await observer.send('burn', coin)).toMatchObject([{ severity: 'INFO', meta: { ended: true } }]);
    await observer.close();
    await expect(observe('proof_of_reserves', {})).rejects.toThrow('/feed is required');
  });
});

describe('total_supply', () => {
  it('reports when more is issued than expected, and of changes', async () => {
    const [owner] = anvil.accounts;
    const config = { expectedTotalSupply: '1002', expectedTotalIssued: '1001', when: 'block' };
    const observer = await observe('total_supply', config);
    expect(await observer.wait()).toEqual([]);
    expect(await observer.send('mint', owner, coin)).toMatchObject([
      { severity: 'INFO', message: 'The supply of Watched changed from 1,000 to 1,001 TKN.' },
    ]);
    expect(await observer.send('mint', owner, 1n)).toMatchObject([
      {
        severity: 'MEDIUM',
        meta: { expectation: 'expectedTotalIssued', expected: '1001', previous: '1001' },
      },
    ]);
    expect(await observer.send('mint', owner, 1n)).toMatchObject([{ severity: 'INFO' }]);
    expect(await observer.send('mint', owner, coin)).toMatchObject([
      { severity: 'MEDIUM', meta: { expectation: 'expectedTotalSupply' } },
    ]);
    expect(await observer.wait()).toEqual([]);
    await observer.close();
  });

  it('stays quiet about changes when configured to, and counts in the decimals that are given', async () => {
    const [owner] = anvil.accounts;
    const config = { expectedTotalSupply: '100000', decimals: 16, trackChanges: false, when: 'block' };
    const observer = await observe('total_supply', config);
    expect(await observer.wait()).toEqual([]);
    expect(await observer.send('burn', 5n)).toEqual([]);
    expect(await observer.send('mint', owner, 6n)).toHaveLength(1);
    await observer.close();
    await expect(observe('total_supply', { expectedTotalSupply: 1000 })).rejects.toThrow(
      '/expectedTotalSupply',
    );
  });
});

describe('circulation_supply', () => {
  it('reports a mint or burn from the threshold on', async () => {
    const [, someone] = anvil.accounts;
    const observer = await observe('circulation_supply', {});
    expect(await observer.send('mint', someone, 10n * coin - 1n)).toEqual([]);
    expect(await observer.send('transfer', someone, 500n * coin)).toEqual([]);
    expect(await observer.send('burn', 101n * 10n ** 17n)).toMatchObject([
      { severity: 'HIGH', meta: { kind: 'burn', amount: '10.1', percent: 1 } },
    ]);
    expect(await observer.send('mint', someone, 1000n * coin)).toMatchObject([
      { message: expect.stringContaining('1,000 TKN of Watched were minted: 100.01 %') },
    ]);
    await observer.close();
  });

  it('counts what leaves a locker, against what circulates without it', async () => {
    const [owner, locker] = anvil.accounts;
    const observer = await observe('circulation_supply', { threshold: 0.1, lockerAddresses: [locker] });
    expect(await observer.send('transfer', locker, 900n * coin)).toMatchObject([{ meta: { kind: 'lock' } }]);
    await observer.token.send(locker, 'transfer', owner, 10n * coin - 1n);
    expect(await observer.catchUp()).toEqual([]);
    await observer.token.send(locker, 'transfer', owner, 11n * coin);
    expect(await observer.catchUp()).toMatchObject([
      { meta: { kind: 'unlock', circulationBefore: '109.999999999999999999' } },
    ]);
    await observer.close();
  });

  it('reports once when the circulating supply leaves its plan', async () => {
    const [owner] = anvil.accounts;
    const schedule = [
      { at: '2020-01-01T00:00:00Z', supply: '1000' },
      { at: '2999-01-01T00:00:00Z', supply: '5000' },
      { at: '2010-01-01T00:00:00Z', supply: '10' },
    ];
    const observer = await observe('circulation_supply', { threshold: 1, schedule, tolerance: '1%' });
    expect(await observer.send('mint', owner, 10n * coin)).toEqual([]);
    expect(await observer.send('mint', owner, 1n)).toMatchObject([
      { meta: { kind: 'plan', planned: '1000', side: 'more' } },
    ]);
    expect(await observer.send('mint', owner, coin)).toEqual([]);
    expect(await observer.send('burn', 20n * coin)).toEqual([]);
    expect(await observer.send('burn', 2n * coin)).toMatchObject([{ meta: { side: 'less' } }]);
    await observer.close();
  });

  it('refuses a plan without a date', async () => {
    await expect(observe('circulation_supply', { schedule: [{ supply: '5' }] })).rejects.toThrow(
      '/schedule/0/at is required',
    );
  });
});

describe('tokenomics_allocation', () => {
  const team = '0x00000000000000000000000000000000000aBc01';

  it('reports when an allocation holds less than planned as HIGH, more as INFO, each once', async () => {
    const plan: Allocation[] = [
      {
        name: 'Team',
        address: team,
        amounts: [
          { at: Date.parse('2999-01-01'), amount: '900' },
          { at: Date.parse('2020-01-01'), amount: '100' },
          { at: Date.parse('2010-01-01'), amount: '7' },
        ],
      },
      { name: 'Not begun', address: team, amounts: [{ at: Date.parse('2999-01-01'), amount: '5' }] },
      { name: 'Unknown', address: null, amounts: [{ at: 0, amount: '5' }] },
    ];
    const observer = await observe('tokenomics_allocation', { when: 'block', tolerance: '1%' }, plan);
    expect(await observer.wait()).toMatchObject([
      {
        severity: 'HIGH',
        message: 'The allocation Team of Watched holds 0 TKN, below its plan of 100.',
        meta: { allocation: 'Team', planned: '100', side: 'below', address: team },
      },
    ]);
    expect(await observer.send('transfer', team, 50n * coin)).toEqual([]);
    expect(await observer.send('transfer', team, 49n * coin)).toEqual([]);
    expect(await observer.send('transfer', team, 3n * coin)).toMatchObject([
      { severity: 'INFO', meta: { side: 'above', balance: '102' } },
    ]);
    expect(await observer.wait()).toEqual([]);
    await observer.close();
  });

  it('refuses a tolerance that is none', async () => {
    await expect(observe('tokenomics_allocation', { tolerance: 'some' })).rejects.toThrow('/tolerance');
  });
});

describe('holder_concentration', () => {
  it('knows the parties of transfers and reports once when the largest have too much', async () => {
    const [owner, a, b, c] = anvil.accounts;
    const config = { topN: 2, condition: '>> 60', exclude: [owner], when: 'block' };
    const observer = await observe('holder_concentration', config);
    await observer.token.send(owner, 'transfer', a, 300n * coin);
    await observer.token.send(owner, 'transfer', b, 300n * coin);
    await observer.token.send(owner, 'transfer', c, 200n * coin);
    expect(await observer.catchUp()).toEqual([]);
    await observer.token.send(c, 'transfer', a, 1n * coin);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'MEDIUM',
        message: 'The 2 largest known holders of Watched have 60.1 % of all TKN, which meets >> 60.',
        meta: { share: 60.1, holders: [a.toLowerCase(), b.toLowerCase()], shares: [30.1, 30] },
      },
    ]);
    await observer.token.send(c, 'transfer', a, 1n * coin);
    expect(await observer.catchUp()).toEqual([]);
    await observer.close();
  });

  it('takes a cluster as one holder, and knows named holders from the beginning', async () => {
    const [owner, a, b] = anvil.accounts;
    const config = { topN: 1, condition: '> 50', holders: [owner], cluster: [a, b], when: 'block' };
    const observer = await observe('holder_concentration', config);
    expect(await observer.wait()).toMatchObject([{ meta: { share: 100, holders: [owner.toLowerCase()] } }]);
    expect(await observer.send('transfer', a, 500n * coin)).toMatchObject([
      { severity: 'INFO', meta: { ended: true } },
    ]);
    expect(await observer.send('transfer', b, 100n * coin)).toMatchObject([
      { meta: { share: 60, holders: ['cluster'], clusterShare: 60 } },
    ]);
    await observer.close();
  });

  it('keeps a bounded state however many take part', async () => {
    const observer = await observe('holder_concentration', { cron: '1 hour', condition: '> 99.99' });
    await anvil.setAutomine(false);
    for (let n = 1; n <= 150; n++) {
      const to = `0x${(0xdef000 + n).toString(16).padStart(40, '0')}`;
      await anvil.submit({
        to: observer.token.address,
        data: observer.token.encode('transfer', to, BigInt(n)),
        gas: 100_000n,
      });
    }
    await anvil.mine();
    await anvil.setAutomine(true);
    await observer.catchUp();
    const { fresh } = observer.memory()!.own as { fresh: Record<string, string> };
    expect(Object.keys(fresh)).toHaveLength(100);
    expect(Object.values(fresh).sort((x, y) => Number(x) - Number(y))[0]).toBe('52');
    await anvil.increaseTime(3600);
    expect(await observer.wait()).toHaveLength(1);
    expect(observer.memory()!.own).toMatchObject({ known: expect.any(Array) });
    expect(observer.faults).toEqual([]);
    await observer.close();
  });

  it('refuses to take more holders together than it knows', async () => {
    await expect(observe('holder_concentration', { topN: 51 })).rejects.toThrow('/topN must be at most 50');
  });
});

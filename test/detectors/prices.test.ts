import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResult } from '../../src/model/detection.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

const minute = 60_000;

async function observeFeed(name: string, config: object, price = 100_000_000n) {
  const feed = await anvil.deploy(artifacts.PriceFeed, 8, price);
  const observer = await observe(name, { when: 'block', ...config }, feed);
  const set = async (answer: bigint) => {
    await feed.send(anvil.accounts[0], 'set', answer);
    return observer.catchUp();
  };
  return { ...observer, feed, set };
}

async function observe(name: string, config: object, { address }: Pick<Contract, 'address'>) {
  const observer = await observeDetector(anvil.url, name, config, { address });
  await observer.skip();
  return observer;
}

async function observeMarket(name: string, config: object, http: () => HttpResult) {
  const market = {
    source: 'market',
    url: 'https://market.example/v1',
    path: 'data.prices[1].usd',
    ...config,
  };
  const world = { address: anvil.accounts[0], http: async () => http() };
  return observeDetector(anvil.url, name, market, world);
}

const answer = (price: unknown): HttpResult => ({
  status: 200,
  body: JSON.stringify({ data: { prices: [{}, { usd: price }] } }),
  durationMs: 5,
});

describe('price_monitor', () => {
  it('reports when the price of a feed crosses a value', async () => {
    const observer = await observeFeed('price_monitor', { condition: '<< 0.98' });
    expect(await observer.set(98_000_000n)).toEqual([]);
    expect(await observer.set(97_999_999n)).toMatchObject([
      {
        severity: 'MEDIUM',
        message: 'The price of Watched is 0.97999999 USD, which meets << 0.98.',
        meta: { price: '0.97999999', source: 'oracle', origin: observer.feed.address.toLowerCase() },
      },
    ]);
    expect(await observer.set(90_000_000n)).toEqual([]);
    await observer.close();
  });

  it('reports when it changes by so many per cent', async () => {
    const observer = await observeFeed('price_monitor', { condition: '>= 5%' });
    expect(await observer.set(100_000_000n)).toEqual([]);
    expect(await observer.set(104_999_999n)).toEqual([]);
    expect(await observer.set(90_000_000n)).toMatchObject([
      { meta: { previous: '1.04999999', price: '0.9' } },
    ]);
    await observer.close();
  });

  it('asks a market by the clock', async () => {
    let price: unknown = 1.5;
    const observer = await observeMarket('price_monitor', { condition: '> 2', currency: 'eur' }, () =>
      answer(price),
    );
    expect(await observer.clock(minute)).toEqual([]);
    price = '2.000000000000000001';
    expect(await observer.clock(2 * minute)).toMatchObject([
      { message: 'The price of Watched is 2 EUR, which meets > 2.', meta: { price: '2.000000000000000001' } },
    ]);
    expect(await observer.clock(2 * minute + 1)).toEqual([]);
    await observer.close();
  });

  it('is a fault when there is no price', async () => {
    let result: HttpResult = { failure: 'connection refused' };
    const observer = await observeMarket('price_monitor', { condition: '> 2' }, () => result);
    await observer.clock(minute);
    result = { status: 503, body: '', durationMs: 1 };
    await observer.clock(2 * minute);
    result = { status: 200, body: '<html>', durationMs: 1 };
    await observer.clock(3 * minute);
    result = { status: 200, body: '{"data":{"prices":[]}}', durationMs: 1 };
    await observer.clock(4 * minute);
    result = answer(null);
    await observer.clock(5 * minute);
    expect(observer.faults).toEqual([
      'https://market.example/v1 cannot be asked: connection refused',
      'https://market.example/v1 answers with status 503.',
      'https://market.example/v1 does not answer in JSON: <html>',
      'The answer has no 1 at data.prices (path data.prices[1].usd).',
      'At data.prices[1].usd of https://market.example/v1 is no number but null.',
    ]);
    await observer.close();
    const { address } = await anvil.deploy(artifacts.Victim);
    const none = await observe('price_monitor', { condition: '> 2', when: 'block' }, { address });
    await anvil.mine();
    await none.catchUp();
    expect(none.faults).toEqual([expect.stringContaining('latestRoundData() of 0x')]);
    await none.close();
  });

  it('price_monitor without settings reports a change by more than 5 %, up or down', async () => {
    const observer = await observeFeed('price_monitor', { when: 'block' });
    for (const price of [105_000_000n, 100_000_000n])
      expect(await observer.set(price), String(price)).toEqual([]);
    expect(await observer.set(94_999_999n)).toMatchObject([{ meta: { condition: '> 5%' } }]);
    expect(await observer.set(99_750_000n)).toMatchObject([{ meta: { previous: '0.94999999' } }]);
  });
});

describe('depeg', () => {
  it('reports once when the price is out of the band for so many looks in a row', async () => {
    const observer = await observeFeed('depeg', {});
    for (const price of [99_499_999n, 99_000_000n, 99_500_000n, 100_500_001n, 98_000_000n])
      expect(await observer.set(price)).toEqual([]);
    expect(await observer.set(97_000_000n)).toMatchObject([
      {
        severity: 'HIGH',
        message: 'The price of Watched is 0.97, 3 % below its peg of 1, for 3 looks in a row.',
        meta: { percent: -3, deviation: '0.03', side: 'below' },
      },
    ]);
    for (const price of [97_000_000n, 96_000_000n]) expect(await observer.set(price)).toEqual([]);
    expect(await observer.set(100_000_000n)).toMatchObject([{ severity: 'INFO', meta: { isOver: true } }]);
    for (const price of [102_000_000n, 102_000_000n]) expect(await observer.set(price)).toEqual([]);
    expect(await observer.set(102_000_000n)).toMatchObject([{ meta: { side: 'above', percent: 2 } }]);
    await observer.close();
  });

  it('knows another peg and an absolute band', async () => {
    const observer = await observeFeed('depeg', { peg: '1.08', band: '0.01', samples: 1 }, 108_000_000n);
    expect(await observer.set(109_000_000n)).toEqual([]);
    expect(await observer.set(109_000_001n)).toHaveLength(1);
    await observer.close();
  });

  it('refuses a band that is none', async () => {
    await expect(observeFeed('depeg', { band: 'narrow' })).rejects.toThrow('/band must be an amount');
  });
});

describe('oracle_staleness', () => {
  it('reports once when the feed is not updated within its heartbeat, and again after an update', async () => {
    const observer = await observeFeed('oracle_staleness', { heartbeat: '10 min' });
    const pass = async (seconds: number) => {
      await anvil.increaseTime(seconds);
      await anvil.mine();
      return observer.catchUp();
    };
    expect(await pass(590)).toEqual([]);
    expect(await pass(30)).toMatchObject([
      {
        severity: 'HIGH',
        message: expect.stringContaining('was last updated 6'),
        meta: { ailment: 'stale' },
      },
    ]);
    expect(await pass(30)).toEqual([]);
    expect(await observer.set(1n)).toEqual([]);
    expect(await pass(620)).toHaveLength(1);
    await observer.close();
  });

  it('reports when rounds are skipped, go back, or the answer is not positive', async () => {
    const observer = await observeFeed('oracle_staleness', {});
    const setRound = async (round: bigint, price: bigint) => {
      const now = BigInt((await anvil.block()).timestamp);
      await observer.feed.send(anvil.accounts[0], 'setRound', round, price, now);
      return (await observer.catchUp()).map(({ meta }) => meta.ailment);
    };
    expect(await setRound(2n, 5n)).toEqual([]);
    expect(await setRound(3n, 5n)).toEqual([]);
    expect(await setRound(5n, 5n)).toEqual(['skipped']);
    expect(await setRound(6n, 0n)).toEqual(['invalid']);
    expect(await setRound(4n, 5n)).toEqual(['backwards']);
    expect(await setRound((1n << 64n) + 100n, 5n)).toEqual([]);
    await observer.close();
  });

  it('reports when a round carries the answer of an earlier one', async () => {
    const feed = await anvil.deploy(artifacts.CarryingFeed);
    const observer = await observe('oracle_staleness', { when: 'block' }, feed);
    await anvil.mine();
    expect(await observer.catchUp()).toEqual([]);
    await feed.send(anvil.accounts[0], 'setBehind', 1n);
    expect(await observer.catchUp()).toMatchObject([
      { message: 'The price feed of Watched carries its answer over from round 9 into round 10.' },
    ]);
    await observer.close();
  });

  it('reports when it differs from a second feed', async () => {
    const second = await anvil.deploy(artifacts.PriceFeed, 18, 10n ** 18n);
    const observer = await observeFeed('oracle_staleness', { reference: second.address, maxDeviation: '2%' });
    expect(await observer.set(102_000_000n)).toEqual([]);
    expect(await observer.set(102_000_001n)).toMatchObject([
      { meta: { ailment: 'deviating', answer: '1.02000001', referenceAnswer: '1' } },
    ]);
    await observer.close();
  });

  it('refuses a heartbeat that is no length of time', async () => {
    await expect(observeFeed('oracle_staleness', { heartbeat: 'often' })).rejects.toThrow(
      '/heartbeat must be a length',
    );
  });
});

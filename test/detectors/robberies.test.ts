import { describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const ether = 10n ** 18n;

describe('price_manipulation', () => {
  it('sees a pool without events whose answer is bent while the contract reads it, and back or for good', async () => {
    const { anvil } = chain;
    const [, , thief] = anvil.accounts;
    const pool = await anvil.deploy(artifacts.RatePool);
    const lender = await anvil.deploy(artifacts.RateLender, pool.address);
    const batch = await anvil.deploy(artifacts.Batch);
    await anvil.send({ to: lender.address, value: ether });
    const observer = await chain.watch('price_manipulation', {}, lender);
    const bend = (percent: bigint) => pool.encode('skew', (ether * percent) / 100n);
    const borrow = lender.encode('borrow', thief, 1n);
    const run = (...prices: bigint[]) =>
      batch.send(
        thief,
        'run',
        [pool.address, lender.address, ...prices.slice(1).map(() => pool.address)],
        [bend(prices[0]!), borrow, ...prices.slice(1).map(bend)],
      );
    // What an ordinary trade does.
    await run(103n, 101n);
    await lender.send(thief, 'borrow', thief, 1n);
    expect(await observer.catchUp()).toEqual([]);
    await run(151n, 101n);
    await run(303n);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'CRITICAL',
        meta: { pool: pool.address, question: 'get_virtual_price', movePercent: 49.5, restPercent: 100 },
      },
      { severity: 'HIGH', meta: { question: 'get_virtual_price', movePercent: 200, stays: true } },
    ]);
    // Someone else's pool that no one reads says nothing.
    const own = await anvil.deploy(artifacts.RatePool);
    const loud = await anvil.deploy(artifacts.RateLender, own.address);
    await anvil.send({ to: loud.address, value: ether });
    await batch.send(
      thief,
      'run',
      [own.address, loud.address, lender.address],
      [own.encode('skew', 1n), loud.encode('borrow', thief, 1n), borrow],
    );
    expect(await observer.catchUp()).toEqual([]);
    expect(observer.faults).toEqual([]);
  });
});

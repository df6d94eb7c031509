import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const coin = 10n ** 18n;
const usd = 1_000_000n;

let weth: Contract;
let token: Contract;
let vault: Contract;
let batch: Contract;
let mill: Contract;
let owner: string;
let thief: string;

beforeAll(async () => {
  const { anvil } = chain;
  [owner, , thief] = anvil.accounts;
  weth = await anvil.deploy(artifacts.WrappedCoin);
  batch = await anvil.deploy(artifacts.Batch);
  mill = await anvil.deploy(artifacts.TokenMill);
});

/** A new vault with 100 wrapped coins and 1,000,000 units of a real token. */
beforeEach(async () => {
  const { anvil } = chain;
  vault = await anvil.deploy(artifacts.OpenVault);
  token = await anvil.deploy(artifacts.LyingToken);
  await token.send(owner, 'claim', owner, 1_000_000n * usd);
  await token.send(owner, 'transfer', vault.address, 1_000_000n * usd);
  await weth.send({ from: owner, value: 100n * coin }, 'deposit');
  await weth.send(owner, 'transfer', vault.address, 100n * coin);
});

type Call = [contract: Contract, name: string, ...args: unknown[]];

/** All calls in one transaction of the thief. */
const rob = (...calls: Call[]) =>
  batch.send(
    thief,
    'run',
    calls.map(([{ address }]) => address),
    calls.map(([contract, name, ...args]) => contract.encode(name, ...args)),
  );

const takeToken = (share: bigint): Call => [vault, 'pay', token.address, thief, 10_000n * usd * share];

const held = async () => (await token.call('balanceOf', vault.address)) as bigint;

const millOf = async (count: bigint) => {
  mill = await chain.anvil.deploy(artifacts.TokenMill);
  await chain.anvil.send({
    from: owner,
    to: mill.address,
    data: mill.encode('make', count, vault.address, coin),
    gas: 29_000_000n,
  });
};

describe.each(['drain', 'tvl_drop', 'outflow_rate'])('%s', (detector) => {
  const watch = async (config: object = {}) => {
    const observer = await chain.watch(detector, config, { address: vault.address });
    await chain.anvil.mine();
    expect(await observer.catchUp()).toEqual([]);
    return observer;
  };

  it('reports a loss behind and before any number of payments that worthless tokens claim', async () => {
    await millOf(25n);
    const noise: Call = [mill, 'claimMoves', vault.address, thief, coin / 2n];
    for (const order of [
      [noise, takeToken(45n)],
      [takeToken(50n), noise],
    ]) {
      const observer = await watch();
      await rob(...order);
      const found = await observer.catchUp();
      expect(observer.faults).toEqual([]);
      const severe = found.filter(({ severity }) => severity === 'HIGH' || severity === 'CRITICAL');
      expect(severe).toHaveLength(1);
      expect(severe[0]!.message).toContain('USDC');
    }
  });

  it('reports a loss as severely when worthless tokens and dust come in with it', async () => {
    await millOf(1n);
    await weth.send({ from: thief, value: 1n }, 'deposit');
    await weth.send(thief, 'transfer', batch.address, 1n);
    const observer = await watch();
    await rob([mill, 'claimMoves', vault.address, vault.address, 0n], takeToken(90n), [
      weth,
      'transfer',
      vault.address,
      1n,
    ]);
    expect(await observer.catchUp()).toMatchObject([
      { severity: detector === 'outflow_rate' ? 'HIGH' : 'CRITICAL' },
    ]);
  });

  it('reports a loss behind any number of worthless tokens that the contract was made to pay', async () => {
    await millOf(30n);
    const junk = await Promise.all(
      Array.from({ length: 30 }, (_, index) => mill.call('tokens', BigInt(index))),
    );
    const observer = await watch();
    await rob(
      ...junk.map((made): Call => [vault, 'pay', made, thief, 1n]),
      takeToken((await held()) / 20_000n / usd),
    );
    const found = await observer.catchUp();
    expect(observer.faults).toEqual([]);
    const severe = found.filter(({ severity }) => severity === 'HIGH' || severity === 'CRITICAL');
    expect(severe).toMatchObject([{ message: expect.stringContaining('USDC') }]);
  });

  it('is not set off by a token of a stranger that claims to have been taken', async () => {
    const fake = await chain.anvil.deploy(artifacts.LyingToken);
    await fake.send(thief, 'claim', vault.address, 50_000_000n * usd);
    const observer = await watch();
    await fake.send(thief, 'claimMove', vault.address, thief, 48_000_000n * usd);
    const found = await observer.catchUp();
    expect(found.filter(({ severity }) => severity !== 'LOW')).toEqual([]);
    for (const { message } of found) expect(message).toContain('Nothing but the token');
  });

  it('reports wrapped coins that are unwrapped and taken', async () => {
    const observer = await watch();
    await rob([vault, 'unwrapTo', weth.address, thief, 90n * coin]);
    expect(await observer.catchUp()).toMatchObject([
      { severity: detector === 'outflow_rate' ? 'HIGH' : 'CRITICAL' },
    ]);
  });

  it('is silent when coins are only wrapped or unwrapped', async () => {
    const observer = await watch();
    await chain.anvil.send({ from: owner, to: vault.address, value: 50n * coin });
    await vault.send(owner, 'wrap', weth.address, 50n * coin);
    await vault.send(owner, 'unwrapTo', weth.address, vault.address, 150n * coin);
    await vault.send(owner, 'wrap', weth.address, 149n * coin);
    expect(await observer.catchUp()).toEqual([]);
    expect(observer.faults).toEqual([]);
  });
});

describe('outflow_rate of slices', () => {
  it('is not forgotten when the contract is made to pay many worthless tokens in between', async () => {
    await millOf(30n);
    const junk = await Promise.all(
      Array.from({ length: 30 }, (_, index) => mill.call('tokens', BigInt(index))),
    );
    const { address } = vault;
    const observer = await chain.watch('outflow_rate', { limit: '50%' }, { address });
    const slice: Call = takeToken((await held()) / 100_000n / usd);
    for (let n = 0; n < 6; n++)
      await rob(slice, ...junk.map((made): Call => [vault, 'pay', made, thief, 1n]));
    const found = await observer.catchUp();
    expect(observer.faults).toEqual([]);
    expect(found).toMatchObject([{ severity: 'HIGH', message: expect.stringContaining('USDC') }]);
    expect(JSON.stringify(observer.memory()).length).toBeLessThan(60_000);
  });
});

describe('price_manipulation', () => {
  const ether = coin;

  it('reports a bent price of a pool that the contract reads, among any number of made-up pools', async () => {
    const { anvil } = chain;
    const pool = await anvil.deploy(artifacts.LyingPair, weth.address, token.address);
    const lender = await anvil.deploy(artifacts.PricedLender, pool.address);
    await anvil.send({ to: lender.address, value: coin });
    const fakes: Contract[] = [];
    for (let made = 0; made < 25; made++)
      fakes.push(await anvil.deploy(artifacts.LyingPair, weth.address, token.address));
    const observer = await chain.watch('price_manipulation', {}, lender);
    const bend = (pair: Contract, second: bigint): Call => [pair, 'report', 1000n * ether, second];
    await rob(
      ...fakes.flatMap((fake) => [bend(fake, 10n ** 30n), bend(fake, 1000n * ether)]),
      bend(pool, 3000n * ether),
      [lender, 'borrow', thief, 1n],
      bend(pool, 1000n * ether),
    );
    await rob(bend(pool, 2500n * ether), [lender, 'borrow', thief, 1n]);
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { pool: pool.address, movePercent: 200, restPercent: 100 } },
      { severity: 'HIGH', meta: { pool: pool.address, movePercent: 150, restPercent: 250, stays: true } },
    ]);
    expect(observer.faults).toEqual([]);
  });

  it('reports a bent price of a pool of the watched token, among any number of made-up pools', async () => {
    const { anvil } = chain;
    const real = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1_000_000n * coin);
    const pool = await anvil.deploy(artifacts.LyingPair, real.address, weth.address);
    await real.send(owner, 'transfer', pool.address, 10_000n * coin);
    await real.send(owner, 'transfer', batch.address, coin);
    const fakes: Contract[] = [];
    for (let made = 0; made < 25; made++)
      fakes.push(await anvil.deploy(artifacts.LyingPair, real.address, weth.address));
    const observer = await chain.watch('price_manipulation', {}, real);
    const bend = (pair: Contract, second: bigint): Call => [pair, 'report', 1000n * ether, second];
    await rob(
      ...fakes.flatMap((fake) => [bend(fake, 10n ** 30n), bend(fake, 1000n * ether)]),
      [real, 'transfer', pool.address, coin],
      bend(pool, 3000n * ether),
      bend(pool, 1000n * ether),
    );
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'CRITICAL', meta: { pool: pool.address, movePercent: 200, restPercent: 100 } },
    ]);
    expect(observer.faults).toEqual([]);
  });

  it('is not set off by a pool that a stranger makes up', async () => {
    const fake = await chain.anvil.deploy(artifacts.LyingPair, weth.address, token.address);
    const observer = await chain.watch('price_manipulation', {}, vault);
    await rob(
      [fake, 'report', 1000n * ether, 10n ** 25n],
      [vault, 'touch'],
      [fake, 'report', 1000n * ether, 1000n * ether],
    );
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'LOW', message: expect.stringContaining('Nothing but the pool says so') },
    ]);
  });
});

describe('flash_loan', () => {
  it('is not set off by a lender that reports a loan and lends nothing, also beside a real one', async () => {
    const { anvil } = chain;
    const liar = await anvil.deploy(artifacts.LyingLender);
    const observer = await chain.watch('flash_loan', {}, vault);
    const report: Call = [liar, 'report', batch.address, token.address, 10n ** 15n];
    await rob(report, [vault, 'touch'], takeToken(90n));
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'LOW', message: expect.stringContaining('Nothing but the lender says so') },
    ]);
  });

  it('reports as HIGH what is lost behind any number of payments that worthless tokens claim', async () => {
    await millOf(25n);
    const liar = await chain.anvil.deploy(artifacts.LyingLender);
    await token.send(owner, 'claim', liar.address, usd);
    const observer = await chain.watch('flash_loan', {}, vault);
    await rob(
      [mill, 'claimMoves', vault.address, thief, coin / 2n],
      [liar, 'report', batch.address, token.address, usd],
      [token, 'claimMove', liar.address, batch.address, usd],
      takeToken((await held()) / 20_000n / usd),
      [token, 'claimMove', batch.address, liar.address, usd],
    );
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', message: expect.stringContaining('lost') },
    ]);
  });

  it('names the largest loan, whatever is reported before it', async () => {
    const { anvil } = chain;
    const liar = await anvil.deploy(artifacts.LyingLender);
    await token.send(owner, 'claim', liar.address, 30_000_000n * usd);
    const observer = await chain.watch('flash_loan', {}, vault);
    const lend = (amount: bigint): Call[] => [
      [liar, 'report', batch.address, token.address, amount],
      [token, 'claimMove', liar.address, batch.address, amount],
    ];
    const repay = (amount: bigint): Call => [token, 'claimMove', batch.address, liar.address, amount];
    await rob(
      [liar, 'report', batch.address, token.address, 10n ** 20n],
      ...lend(1_000n * usd),
      ...lend(20_000_000n * usd),
      takeToken(10n),
      repay(1_000n * usd),
      repay(20_000_000n * usd),
    );
    expect(await observer.catchUp()).toMatchObject([
      { severity: 'HIGH', meta: { amount: '20000000', loans: 3 } },
    ]);
  });
});
